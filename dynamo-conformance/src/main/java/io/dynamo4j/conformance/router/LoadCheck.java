// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.router;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.conformance.tree.Indexes;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.kvrouter.PotentialLoad;
import io.dynamo4j.kvrouter.SchedulingRequest;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What each rank would carry, against what the recorded router said. */
record LoadCheck(RouterSetup setup, OurRouter ours, EventViews views, Replay replay) {

  /** Compares for a prompt of four tokens that nobody has. */
  void compareForeign(JsonNode result, String where) {
    SchedulingRequest foreign = Prompts.request("loads", 900_000, 4);
    compare(foreign, result.isArray() ? result : List.of(result), where);
  }

  void compare(JsonNode step, Iterable<JsonNode> result, String where) {
    compare(Prompts.of("loads", step), result, where);
  }

  private void compare(SchedulingRequest request, Iterable<JsonNode> result, String where) {
    Map<WorkerWithDpRank, List<Long>> recorded = new TreeMap<>();
    for (JsonNode row : result) {
      recorded.put(
          setup.rank(Fields.text(row, "worker_id"), Fields.integer(row, "dp_rank")),
          List.of(
              row.path("potential_prefill_tokens").asLong(-1),
              row.path("potential_decode_blocks").asLong(-1),
              row.path("active_requests").asLong(-1)));
    }
    Map<WorkerWithDpRank, List<Long>> our = new TreeMap<>();
    for (PotentialLoad load : ours.router().potentialLoads(request)) {
      our.put(
          load.worker(),
          List.of(load.prefillTokens(), load.decodeBlocks(), (long) load.activeRequests()));
    }
    if (recorded.equals(asPeerSees(request.tokenIds(), our)) && !recorded.equals(our)) {
      replay.deviation(Indexes.SHARED_STATE, where + ": recorded=" + recorded + ", ours=" + our);
    } else {
      replay.same(where, recorded, our);
    }
  }

  /** Returns our loads with the prompt's cached part as the peer's tree has it. */
  private Map<WorkerWithDpRank, List<Long>> asPeerSees(
      TokenSlice tokens, Map<WorkerWithDpRank, List<Long>> our) {
    Map<WorkerWithDpRank, Integer> right = views.overlap(tokens, "", false);
    Map<WorkerWithDpRank, Integer> peer = views.overlap(tokens, "", true);
    Map<WorkerWithDpRank, List<Long>> seen = new TreeMap<>();
    our.forEach(
        (worker, load) -> {
          int more = right.getOrDefault(worker, 0) - peer.getOrDefault(worker, 0);
          seen.put(
              worker,
              List.of(load.get(0) + (long) more * setup.blockSize(), load.get(1), load.get(2)));
        });
    return seen;
  }
}
