// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.router;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.conformance.tree.Indexes;
import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.WorkerInstance;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/** What is cached where, against what the recorded router said. */
record IndexCheck(RouterSetup setup, OurRouter ours, EventViews views, Replay replay) {

  void overlap(JsonNode step, String where) {
    Map<WorkerWithDpRank, Integer> recorded = new TreeMap<>();
    JsonNode result = Fields.required(step, "result");
    for (JsonNode row : Fields.array(result, "workers")) {
      WorkerWithDpRank rank =
          setup.rank(Fields.text(row, "worker_id"), row.path("dp_rank").asInt());
      WorkerInstance worker = setup.worker(rank);
      boolean isOfWorker =
          rank.dpRank() >= worker.dpStart() && rank.dpRank() < worker.dpStart() + worker.dpSize();
      replay.same(where + ": is a rank of the fleet, " + rank, true, isOfWorker);
      int device = Fields.integer(row, "device_blocks");
      // A tier below counts what the tiers before it hold, and beside it what it adds to them.
      replay.same(where + ": on hosts", device, row.path("host_pinned_blocks").asInt(device));
      replay.same(where + ": on disks", device, Fields.integer(row, "disk_blocks"));
      replay.same(where + ": hosts add", 0, row.path("host_pinned_extension_blocks").asInt());
      replay.same(where + ": disks add", 0, row.path("disk_extension_blocks").asInt());
      if (device > 0) {
        recorded.put(rank, device);
      }
    }
    List<Long> locals = new ArrayList<>();
    BlockHasher hasher = BlockHasher.of(BlockHashOptions.of(setup.blockSize()));
    for (long hash : hasher.hash(RouterSetup.tokens(step))) {
      locals.add(hash);
    }
    replay.same(where + ": tokens a block", result.path("block_size").asInt(), setup.blockSize());
    replay.same(where + ": blocks", result.path("num_blocks").asInt(), locals.size());
    judge(where, recorded, locals);
  }

  private void judge(String where, Map<WorkerWithDpRank, Integer> recorded, List<Long> locals) {
    Map<WorkerWithDpRank, Integer> our = find(locals);
    replay.same(where + ": exact", views.overlap(locals, false), our);
    if (!recorded.equals(our)) {
      String text = where + ": recorded=" + recorded + ", ours=" + our;
      if (recorded.equals(views.overlap(locals, true))) {
        replay.deviation(Indexes.SHARED_STATE, text);
      } else {
        replay.fault(text);
      }
    }
  }

  private Map<WorkerWithDpRank, Integer> find(List<Long> locals) {
    long[] query = locals.stream().mapToLong(Long::longValue).toArray();
    OverlapScores scores = OverlapScores.create();
    if (setup.config().overlapScoreCredit() > 0) {
      ours.indexer().findMatches(query, query.length, scores);
    }
    Map<WorkerWithDpRank, Integer> found = new TreeMap<>();
    for (int i = 0; i < scores.size(); i++) {
      found.put(scores.worker(i), scores.depth(i));
    }
    return found;
  }

  /** The recorded blocks are those that a query can find. */
  void dump(JsonNode step, String where) {
    JsonNode result = Fields.required(step, "result");
    if (result.has("error")) {
      replay.same(where + ": has an index", false, setup.config().overlapScoreCredit() > 0);
      return;
    }
    Set<String> recorded = recorded(result, false);
    Set<String> our = reachable(this::find);
    replay.same(where + ": exact", reachable(path -> views.overlap(path, false)), our);
    // Blocks that a rank holds behind a hole may be listed or not: no query can tell.
    Set<String> behindHoles = recorded(result, true);
    behindHoles.addAll(our);
    if (!recorded.containsAll(our) || !behindHoles.containsAll(recorded)) {
      String text = where + ": recorded=" + recorded + ", ours=" + our;
      if (reachable(path -> views.overlap(path, true)).equals(our)) {
        replay.fault(text);
      } else {
        replay.deviation(Indexes.SHARED_STATE, text);
      }
    }
  }

  private Set<String> reachable(Function<List<Long>, Map<WorkerWithDpRank, Integer>> find) {
    Set<String> found = new TreeSet<>();
    for (List<Long> path : views.paths()) {
      find.apply(path)
          .forEach(
              (worker, depth) -> {
                if (depth == path.size()) {
                  found.add(worker + " " + path);
                }
              });
    }
    return found;
  }

  /** Returns each recorded block by its rank and the local hashes from the root to it. */
  private Set<String> recorded(JsonNode events, boolean onlyHeld) {
    Set<String> found = new TreeSet<>();
    for (JsonNode event : events) {
      JsonNode stored = event.path("event").path("data").path("stored");
      int dpRank = event.path("event").path("dp_rank").asInt();
      WorkerWithDpRank worker = setup.rank(Fields.text(event, "worker_id"), dpRank);
      JsonNode parent = stored.path("parent_hash");
      List<Long> path =
          new ArrayList<>(parent.isNull() ? List.of() : views.pathOf(Fields.bits(parent)));
      for (JsonNode block : Fields.array(stored, "blocks")) {
        path.add(Fields.bits(block.get("tokens_hash")));
        if (!onlyHeld || views.isHeld(worker, path)) {
          found.add(worker + " " + path);
        }
      }
    }
    return found;
  }
}
