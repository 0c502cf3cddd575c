// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.router;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.MalformedCaseException;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.kvrouter.KvRouterConfig;
import io.dynamo4j.kvrouter.LoadThresholds;
import io.dynamo4j.kvrouter.PolicyClass;
import io.dynamo4j.kvrouter.QueueConfig;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The fleet and the router's settings; workers are known by labels {@code w0}, {@code w1}, … */
record RouterSetup(
    JsonNode content,
    int blockSize,
    KvRouterConfig config,
    InMemoryWorkerDirectory directory,
    List<WorkerInstance> workers) {
  private static final long DEFAULT_BLOCKS = 1_000;
  private static final long DEFAULT_BATCHED_TOKENS = 8_192;

  static RouterSetup of(JsonNode content) {
    InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
    List<WorkerInstance> workers = new ArrayList<>();
    for (JsonNode worker : Fields.array(content, "workers")) {
      WorkerInstance instance = instance(workers.size(), worker);
      workers.add(instance);
      directory.register(instance);
    }
    return new RouterSetup(
        content,
        Fields.integer(content, "block_size"),
        KvRouterConfig.fromEnvironment(environment(Fields.required(content, "router_config"))),
        directory,
        workers);
  }

  private static WorkerInstance instance(int index, JsonNode worker) {
    List<String> taints = new ArrayList<>();
    worker.path("taints").forEach(taint -> taints.add(taint.asText()));
    return WorkerInstance.builder(index + 1L, InMemoryRequestPlane.address("w" + index))
        .dpRanks(worker.path("dp_start").asInt(0), worker.path("dp_size").asInt(1))
        .totalKvBlocks(worker.path("total_kv_blocks").asLong(DEFAULT_BLOCKS))
        .maxBatchedTokens(worker.path("max_num_batched_tokens").asLong(DEFAULT_BATCHED_TOKENS))
        .taints(taints.toArray(String[]::new))
        .build();
  }

  /** Returns the settings as the variables that carry them. */
  private static Map<String, String> environment(JsonNode config) {
    Map<String, String> environment = new LinkedHashMap<>();
    config
        .properties()
        .forEach(field -> environment.put(variable(field.getKey()), field.getValue().asText()));
    return environment;
  }

  private static String variable(String field) {
    String name = field.toUpperCase(Locale.ROOT);
    if (field.startsWith("overlap_")) {
      return "DYN_ROUTER_KV_" + name;
    }
    return field.startsWith("router_") ? "DYN_" + name : "DYN_ROUTER_" + name;
  }

  /**
   * Returns when requests wait. What stood in a policy file was not recorded: this is one that
   * explains every recorded order, and other quanta would as well.
   */
  QueueConfig queue() {
    JsonNode config = content.get("router_config");
    if (!config.has("router_policy_config")) {
      return QueueConfig.fromEnvironment(environment(config));
    }
    return QueueConfig.builder()
        .defaultFamily("std")
        .uncachedBucket(0, "small")
        .uncachedBucket(64, "large")
        .policyClass(policyClass("std_large", 100).family("std").bucket("large").build())
        .policyClass(policyClass("batch", 50).build())
        .policyClass(policyClass("std_small", 50).family("std").bucket("small").build())
        .build();
  }

  private static PolicyClass.Builder policyClass(String name, long quantum) {
    return PolicyClass.builder(name).quantum(quantum).prefillBusyThresholdFraction(0.5);
  }

  /** Returns the busy thresholds, whose names begin as those of the variables do. */
  LoadThresholds thresholds() {
    Map<String, String> environment = new LinkedHashMap<>();
    content
        .path("load_thresholds")
        .properties()
        .forEach(
            field ->
                environment.put(
                    "DYN_" + field.getKey().toUpperCase(Locale.ROOT), field.getValue().asText()));
    return LoadThresholds.fromEnvironment(environment);
  }

  boolean usesEvents() {
    return Fields.flag(content.get("router_config"), "use_kv_events", true)
        && config.overlapScoreCredit() > 0;
  }

  WorkerWithDpRank rank(String label, int dpRank) {
    return new WorkerWithDpRank(worker(label).workerId(), dpRank);
  }

  WorkerInstance worker(String label) {
    for (int i = 0; i < workers.size(); i++) {
      if (label.equals("w" + i)) {
        return workers.get(i);
      }
    }
    throw new MalformedCaseException("worker is not of the fleet: label=" + label);
  }

  WorkerInstance worker(WorkerWithDpRank rank) {
    return workers.get((int) rank.workerId() - 1);
  }

  static String label(WorkerWithDpRank rank) {
    return "w" + (rank.workerId() - 1);
  }

  /** Returns the prompt of a list of {@code [first, count]}. */
  static TokenSlice tokens(JsonNode node) {
    List<Integer> tokens = new ArrayList<>();
    for (JsonNode range : Fields.array(node, "tokens")) {
      for (int i = 0; i < range.path(1).asInt(); i++) {
        tokens.add(range.path(0).asInt() + i);
      }
    }
    return TokenSlice.wrap(tokens.stream().mapToInt(Integer::intValue).toArray());
  }
}
