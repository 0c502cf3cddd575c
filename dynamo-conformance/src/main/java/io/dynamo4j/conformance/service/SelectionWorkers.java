// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.MalformedCaseException;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.conformance.engine.EngineListener;
import io.dynamo4j.conformance.plane.PublishedEvent;
import io.dynamo4j.conformance.service.ServiceStep.Outcome;
import io.dynamo4j.kvrouter.KvRouterConfig;
import io.dynamo4j.kvrouter.QueueConfig;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The workers of a case by model and group. Whether a worker may be chosen is the service's own
 * matter and taken from its answer.
 */
final class SelectionWorkers {
  private static final String SCHEDULABLE = "schedulable";

  private final KvRouterConfig config;
  private final QueueConfig queue;
  private final SortedMap<String, SelectionFleet> fleets = new TreeMap<>();
  private final Map<String, EngineListener> listeners = new LinkedHashMap<>();
  private final Map<Long, String> partitionsByWorker = new TreeMap<>();

  SelectionWorkers(Map<String, String> environment) {
    this.config = KvRouterConfig.fromEnvironment(environment);
    this.queue = QueueConfig.fromEnvironment(environment);
  }

  SortedMap<String, SelectionFleet> fleets() {
    return Collections.unmodifiableSortedMap(fleets);
  }

  @Nullable SelectionFleet fleet(String partition) {
    return fleets.get(partition);
  }

  void settle() {
    fleets.values().forEach(SelectionFleet::settle);
  }

  void upsert(ServiceStep step) {
    if (!step.isDone()) {
      return;
    }
    JsonNode record = step.result();
    long workerId = Fields.bits(Fields.required(record, "worker_id"));
    String partition = ServiceCases.partition(record);
    boolean isSchedulable = Fields.text(record, "lifecycle").equals(SCHEDULABLE);
    String before = partitionsByWorker.get(workerId);
    if (before != null && (!isSchedulable || !before.equals(partition))) {
      remove(workerId, before);
    }
    if (isSchedulable) {
      int blockSize = Fields.integer(record, "block_size");
      add(partition, instance(record, workerId), blockSize);
      listen(record, workerId, blockSize);
    }
  }

  void add(String partition, WorkerInstance instance, int blockSize) {
    SelectionFleet fleet = fleets.get(partition);
    if (fleet == null || (fleet.workers().isEmpty() && fleet.blockSize() != blockSize)) {
      fleet = new SelectionFleet(config, queue, blockSize);
      fleets.put(partition, fleet);
    }
    partitionsByWorker.put(instance.workerId(), partition);
    fleet.register(instance);
  }

  private static WorkerInstance instance(JsonNode record, long workerId) {
    List<String> taints = new ArrayList<>();
    record.path("taints").forEach(taint -> taints.add(taint.asText()));
    record
        .path("topology_domains")
        .properties()
        .forEach(
            domain ->
                taints.add(
                    "dynamo.topology/" + domain.getKey() + "=" + domain.getValue().asText()));
    return instance(
        workerId,
        record.path("data_parallel_start_rank").asInt(0),
        record.path("data_parallel_size").asInt(1),
        record.path("total_kv_blocks").asLong(0),
        record.path("max_num_batched_tokens").asLong(0),
        taints);
  }

  static WorkerInstance instance(
      long workerId,
      int dpStart,
      int dpSize,
      long totalBlocks,
      long batchedTokens,
      List<String> taints) {
    WorkerInstance.Builder builder =
        WorkerInstance.builder(workerId, InMemoryRequestPlane.address("worker-" + workerId))
            .dpRanks(dpStart, dpSize)
            .taints(taints.toArray(String[]::new));
    if (totalBlocks > 0) {
      builder.totalKvBlocks(totalBlocks);
    }
    if (batchedTokens > 0) {
      builder.maxBatchedTokens(batchedTokens);
    }
    return builder.build();
  }

  Outcome delete(ServiceStep step) {
    long workerId = Fields.bits(TextNode.valueOf(step.id()));
    String partition = partitionsByWorker.get(workerId);
    if (partition == null && !step.isDone()) {
      return Outcome.NOT_FOUND;
    }
    if (partition != null) {
      remove(workerId, partition);
    }
    return Outcome.DONE;
  }

  private void remove(long workerId, String partition) {
    SelectionFleet fleet = fleets.get(partition);
    if (fleet != null) {
      fleet.unregister(workerId);
    }
    partitionsByWorker.remove(workerId);
  }

  /** Compares the workers that may be chosen, as far as they are listed. */
  void compareListed(ServiceStep step, String where, Replay replay) {
    JsonNode rows = step.result().isArray() ? step.result() : step.result().path("workers");
    SortedSet<String> recorded = new TreeSet<>();
    for (JsonNode row : rows) {
      if (Fields.text(row, "lifecycle").equals(SCHEDULABLE)) {
        recorded.add(ServiceCases.partition(row) + " " + row.path("worker_id").asText());
      }
    }
    SortedSet<String> ours = new TreeSet<>();
    fleets.forEach(
        (name, fleet) -> {
          String[] parts = name.split(":", 2);
          if (step.shows(parts[0], parts[1])) {
            fleet
                .workers()
                .forEach(each -> ours.add(name + " " + Long.toUnsignedString(each.workerId())));
          }
        });
    replay.same(where, recorded, ours);
  }

  /* --------------- Events --------------- */

  private void listen(JsonNode record, long workerId, int blockSize) {
    String only = Fields.textOrEmpty(record, "kv_events_endpoint");
    if (!only.isEmpty()) {
      int first = record.path("data_parallel_start_rank").asInt(0);
      listeners.putIfAbsent(only, new EngineListener(workerId, blockSize, first));
    }
    record
        .path("kv_events_endpoints")
        .properties()
        .forEach(
            rank ->
                listeners.putIfAbsent(
                    rank.getValue().asText(),
                    new EngineListener(workerId, blockSize, Integer.parseInt(rank.getKey()))));
  }

  void publish(JsonNode step, String where, Replay replay) {
    EngineListener listener = listeners.get("PUB:" + step.path("worker").asText());
    if (listener == null) {
      throw new MalformedCaseException("nobody listens: " + where);
    }
    List<byte[]> frames = new ArrayList<>();
    for (JsonNode frame : Fields.array(step, "frames_hex")) {
      frames.add(HexFormat.of().parseHex(frame.asText()));
    }
    EngineListener.Heard heard = listener.hear(frames);
    replay.same(where + " events", heard.right(), heard.ours());
    String partition = partitionsByWorker.get(listener.workerId());
    SelectionFleet fleet = partition == null ? null : fleets.get(partition);
    if (fleet != null) {
      for (PublishedEvent event : heard.ours()) {
        fleet.publish(listener.workerId(), event);
      }
    }
  }
}
