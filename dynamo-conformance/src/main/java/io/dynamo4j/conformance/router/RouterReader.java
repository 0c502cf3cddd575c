// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.router;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.CaseKeys;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.Replay;

/** Steps of one router over a fleet of labelled workers. */
public final class RouterReader implements CaseReader {
  /** Explains answers for which the recorded peer checked a request's own weights alone. */
  public static final String OVERRIDES_ACT = "router-overrides-act";

  @Override
  public String name() {
    return "router";
  }

  @Override
  public boolean reads(JsonNode content) {
    return content.has("workers")
        && content.has("router_config")
        && content.has("block_size")
        && content.path("steps").isArray();
  }

  @Override
  public CaseKeys keys() {
    return CaseKeys.of(
            "name",
            "about",
            "note",
            "block_size",
            "workers",
            "router_config",
            "router_kw",
            "steps",
            "load_thresholds")
        .and(
            "workers", "taints", "total_kv_blocks", "max_num_batched_tokens", "dp_size", "dp_start")
        .and(
            "steps",
            "op",
            "result",
            "note",
            "w",
            "rank",
            "tokens",
            "hashes",
            "parent",
            "num_block_tokens",
            "cache_salt",
            "cache_namespace",
            "request_id",
            "id",
            "constraints",
            "repeat",
            "update_indexer",
            "timeout",
            "strict_priority",
            "priority_jump",
            "policy_class",
            "override",
            "router_config_override",
            "dp_rank",
            "s",
            "events",
            "arrivals");
  }

  @Override
  public Replay replay(JsonNode content) {
    Replay replay = Replay.create();
    RouterReplay run = new RouterReplay(RouterSetup.of(content), replay);
    int number = 0;
    for (JsonNode step : Fields.array(content, "steps")) {
      run.step(step, "step " + ++number + " " + Fields.text(step, "op"));
    }
    return replay;
  }
}
