// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.tree;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Replay;

/** Scenarios of the concurrent tree that the peer uses in production. */
public final class ConcurrentTreeReader implements CaseReader {

  @Override
  public String name() {
    return "concurrent-tree";
  }

  @Override
  public boolean reads(JsonNode content) {
    return content.has("steps") && content.has("differs_from_single_thread_tree");
  }

  @Override
  public Replay replay(JsonNode content) {
    return TreeReplay.of(TreeScenario.of(content, "single_thread_tree_result"), true);
  }
}
