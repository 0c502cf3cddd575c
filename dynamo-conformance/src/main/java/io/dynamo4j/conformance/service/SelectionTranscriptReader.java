// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.service;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.CaseKeys;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.MalformedCaseException;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Calls of the peer's selection service within its process.
 *
 * <p>What engines had published before is not told; it shows in the answers, and is put into the
 * index from there.
 */
public final class SelectionTranscriptReader implements CaseReader {
  private static final String QUEUED = "queued ";

  @Override
  public String name() {
    return "selection-transcript";
  }

  @Override
  public boolean reads(JsonNode content) {
    return content.path("kind").asText().equals("transcript")
        && content.has("config_env")
        && content.has("workers")
        && content.path("steps").isArray();
  }

  @Override
  public CaseKeys keys() {
    return CaseKeys.of(
            "kind", "tag", "config_env", "block_size", "workers", "steps", "index", "note")
        .and(
            "workers",
            "worker_id",
            "dp_start",
            "dp_size",
            "total_kv_blocks",
            "max_num_batched_tokens")
        .and("steps", "call", "args", "kwargs", "result", "cost")
        .answers(List.of("result"), ServiceCases.ANSWER_NAMES);
  }

  @Override
  public Replay replay(JsonNode content) {
    Replay replay = Replay.create();
    List<ServiceStep> steps = new ArrayList<>();
    for (JsonNode step : Fields.array(content, "steps")) {
      steps.add(ServiceStep.ofCall(step));
    }
    SelectionWorkers workers = new SelectionWorkers(environment(content));
    String partition = steps.isEmpty() ? "" : steps.get(0).partition();
    int blockSize = Fields.integer(content, "block_size");
    for (JsonNode worker : Fields.array(content, "workers")) {
      workers.add(
          partition,
          SelectionWorkers.instance(
              Fields.bits(Fields.required(worker, "worker_id")),
              Fields.integer(worker, "dp_start"),
              Fields.integer(worker, "dp_size"),
              worker.path("total_kv_blocks").asLong(0),
              worker.path("max_num_batched_tokens").asLong(0),
              List.of()),
          blockSize);
    }
    SelectionFleet fleet = workers.fleet(partition);
    if (fleet == null) {
      throw new MalformedCaseException("transcript has no worker: partition=" + partition);
    }
    for (ServiceStep step : steps) {
      seed(fleet, step);
    }
    run(steps, new SelectionReplay(workers, replay), fleet);
    return replay;
  }

  private static void run(List<ServiceStep> steps, SelectionReplay run, SelectionFleet fleet) {
    for (int i = 0; i < steps.size(); i++) {
      ServiceStep step = steps.get(i);
      String where = "step " + (i + 1) + " " + step.call();
      if (step.call().startsWith(QUEUED)) {
        run.compareWent(step, where);
        continue;
      }
      if (!step.call().equals("loads")) {
        run.giveUpWaiting();
      }
      if (i + 1 < steps.size() && steps.get(i + 1).call().startsWith(QUEUED)) {
        run.waitBefore(fleet, steps.get(i + 1));
      }
      run.step(step, where);
    }
  }

  private static Map<String, String> environment(JsonNode content) {
    Map<String, String> environment = new LinkedHashMap<>();
    Fields.required(content, "config_env")
        .properties()
        .forEach(entry -> environment.put(entry.getKey(), entry.getValue().asText()));
    return environment;
  }

  /** Puts into the index what an answer says that the chosen worker's ranks hold. */
  private static void seed(SelectionFleet fleet, ServiceStep step) {
    JsonNode overlap = step.result().path("overlap");
    if (!overlap.isObject() || !SelectionRequests.hasTokens(step.body())) {
      return;
    }
    long workerId = ServiceCases.rank(step.result()).workerId();
    long[] locals = SelectionRequests.localHashes(step.body(), fleet.blockSize());
    overlap
        .path("dp")
        .properties()
        .forEach(
            rank -> {
              int blocks = rank.getValue().asInt() / fleet.blockSize();
              if (blocks > 0) {
                fleet.store(
                    new WorkerWithDpRank(workerId, Integer.parseInt(rank.getKey())),
                    locals,
                    blocks);
              }
            });
  }
}
