// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.router;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.Replay;

/** Steps of one router over a fleet of labelled workers. */
public final class RouterReader implements CaseReader {

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
