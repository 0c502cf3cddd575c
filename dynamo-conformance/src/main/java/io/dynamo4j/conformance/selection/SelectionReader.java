// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.selection;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Replay;

/** Bookings to loads, loads and overlap to costs, costs to winners. */
public final class SelectionReader implements CaseReader {

  @Override
  public String name() {
    return "selection";
  }

  @Override
  public boolean reads(JsonNode content) {
    return content.has("config_env")
        && content.has("token_ids")
        && content.has("active")
        && content.has("rows")
        && content.has("chosen");
  }

  @Override
  public Replay replay(JsonNode content) {
    Replay replay = Replay.create();
    Decision decision = Decision.of(content);
    decision.compareFleet(replay);
    decision.compareLoads(replay);
    decision.comparePinnedCosts(replay);
    decision.compareWinners(replay);
    return replay;
  }
}
