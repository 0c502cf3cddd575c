// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.service;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.MalformedCaseException;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.conformance.service.ServiceStep.Outcome;
import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.kvrouter.ActiveBlockTracker;
import io.dynamo4j.kvrouter.WorkerLoad;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Runs one case: each call on the trackers under test, each answer compared. */
final class SlotTrackerReplay {
  private static final Set<String> OF_THE_SERVICE =
      Set.of("GET /health", "POST /replica_sync/register_peer", "GET /replica_sync/peers");

  private final Replay replay;

  /** As {@code model:group}. */
  private final SortedMap<String, SlotTracker> partitions = new TreeMap<>();

  SlotTrackerReplay(Replay replay) {
    this.replay = replay;
  }

  void step(ServiceStep step, String where) {
    if (step.outcome() == Outcome.UNPARSED || OF_THE_SERVICE.contains(step.call())) {
      return;
    }
    switch (step.call()) {
      case "POST /register" -> same(where, step, register(step));
      case "POST /unregister" -> same(where, step, unregister(step));
      case "POST /add" -> same(where, step, add(step));
      case "POST /prefill_complete" -> same(where, step, complete(step));
      case "POST /free" -> same(where, step, free(step));
      case "POST /potential_loads" -> potentialLoads(step, where);
      case "GET /loads" -> compareLoads(step, where);
      case "GET /workers" -> replay.same(where, recordedWorkers(step.result()), workers(step));
      default -> throw new MalformedCaseException("call is unknown: call=" + step.call());
    }
  }

  private void same(String where, ServiceStep step, Outcome ours) {
    replay.same(where, step.outcome(), ours);
  }

  /* --------------- Calls --------------- */

  private Outcome register(ServiceStep step) {
    int blockSize = Fields.integer(step.body(), "block_size");
    long workerId = Fields.bits(Fields.required(step.body(), "worker_id"));
    long start = Fields.bits(Fields.required(step.body(), "dp_start"));
    long size = Fields.bits(Fields.required(step.body(), "dp_size"));
    if (blockSize < 1 || size < 1 || start + size > 1L << 32) {
      return Outcome.INVALID;
    }
    SlotTracker partition = partitions.get(step.partition());
    if (partition != null && (partition.has(workerId) || partition.blockSize() != blockSize)) {
      return Outcome.CONFLICT;
    }
    partitions
        .computeIfAbsent(
            step.partition(), added -> new SlotTracker(ActiveBlockTracker.create(1), blockSize))
        .register(workerId, (int) start, (int) size);
    return Outcome.DONE;
  }

  private Outcome unregister(ServiceStep step) {
    SlotTracker partition = partitions.get(step.partition());
    long workerId = Fields.bits(Fields.required(step.body(), "worker_id"));
    if (partition == null || !partition.has(workerId)) {
      return Outcome.NOT_FOUND;
    }
    partition.unregister(workerId);
    return Outcome.DONE;
  }

  private Outcome add(ServiceStep step) {
    JsonNode body = step.body();
    SlotTracker partition = partitions.get(step.partition());
    WorkerWithDpRank rank =
        new WorkerWithDpRank(
            Fields.bits(Fields.required(body, "worker_id")), Fields.integer(body, "dp_rank"));
    if (partition == null || !partition.has(rank)) {
      return Outcome.NOT_FOUND;
    }
    try {
      partition.book(
          Fields.text(body, "request_id"),
          rank,
          Fields.bitsArray(body, "sequence_hashes"),
          promptTokens(body));
      return Outcome.DONE;
    } catch (DynamoException refused) {
      return refused.errorType() == ErrorType.DUPLICATE_REQUEST
          ? Outcome.CONFLICT
          : Outcome.UNAVAILABLE;
    }
  }

  private static int promptTokens(JsonNode body) {
    return Fields.isAbsent(body, "new_isl_tokens") ? 0 : Fields.integer(body, "new_isl_tokens");
  }

  private Outcome complete(ServiceStep step) {
    SlotTracker partition = partitions.get(step.partition());
    String id = Fields.text(step.body(), "request_id");
    if (partition == null || !partition.isBooked(id)) {
      return Outcome.NOT_FOUND;
    }
    partition.markPrefillCompleted(id);
    return Outcome.DONE;
  }

  /** Whoever is not booked is free. */
  private Outcome free(ServiceStep step) {
    SlotTracker partition = partitions.get(step.partition());
    if (partition == null) {
      return Outcome.NOT_FOUND;
    }
    partition.free(Fields.text(step.body(), "request_id"));
    return Outcome.DONE;
  }

  /* --------------- Questions --------------- */

  private void potentialLoads(ServiceStep step, String where) {
    @Nullable SlotTracker partition = partitions.get(step.partition());
    same(where, step, partition == null ? Outcome.NOT_FOUND : Outcome.DONE);
    if (partition != null && step.isDone()) {
      replay.same(
          where,
          ServiceCases.potentialLoads(step.result()),
          ServiceCases.potentialLoads(
              partition.potentialLoads(
                  Fields.bitsArray(step.body(), "sequence_hashes"), promptTokens(step.body()))));
    }
  }

  private void compareLoads(ServiceStep step, String where) {
    for (SlotTracker partition : shown(step).values()) {
      for (WorkerWithDpRank rank : partition.ranks()) {
        replay.same(
            where + " distinct prefixes of " + rank,
            (long) partition.distinctBlocks(rank),
            partition.load(rank).blocks());
      }
    }
    replay.same(where, recordedLoads(step.result()), loads(step));
  }

  private Set<String> loads(ServiceStep step) {
    Set<String> loads = new TreeSet<>();
    shown(step)
        .forEach(
            (name, partition) -> {
              for (WorkerWithDpRank rank : partition.ranks()) {
                WorkerLoad load = partition.load(rank);
                loads.add(name + " " + rank + " " + load.prefillTokens() + " " + load.blocks());
              }
            });
    return loads;
  }

  private static Set<String> recordedLoads(JsonNode result) {
    Set<String> loads = new TreeSet<>();
    for (JsonNode row : result) {
      loads.add(
          ServiceCases.partition(row)
              + " "
              + ServiceCases.rank(row)
              + " "
              + Fields.integer(row, "active_prefill_tokens")
              + " "
              + Fields.integer(row, "active_decode_blocks"));
    }
    return loads;
  }

  private Set<String> workers(ServiceStep step) {
    Set<String> workers = new TreeSet<>();
    shown(step)
        .forEach(
            (name, partition) ->
                partition
                    .ranks()
                    .forEach(rank -> workers.add(name + " " + partition.blockSize() + " " + rank)));
    return workers;
  }

  private static Set<String> recordedWorkers(JsonNode result) {
    Set<String> workers = new TreeSet<>();
    for (JsonNode row : result) {
      long workerId = Fields.bits(Fields.required(row, "worker_id"));
      for (int i = 0; i < Fields.integer(row, "dp_size"); i++) {
        workers.add(
            ServiceCases.partition(row)
                + " "
                + Fields.integer(row, "block_size")
                + " "
                + new WorkerWithDpRank(workerId, Fields.integer(row, "dp_start") + i));
      }
    }
    return workers;
  }

  private Map<String, SlotTracker> shown(ServiceStep step) {
    Map<String, SlotTracker> shown = new TreeMap<>();
    partitions.forEach(
        (name, partition) -> {
          String[] parts = name.split(":", 2);
          if (step.shows(parts[0], parts[1])) {
            shown.put(name, partition);
          }
        });
    return shown;
  }
}
