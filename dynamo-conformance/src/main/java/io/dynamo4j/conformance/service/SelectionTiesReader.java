// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.service;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.CaseKeys;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.MalformedCaseException;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.kvrouter.DefaultWorkerSelector;
import io.dynamo4j.kvrouter.KvRouterConfig;
import io.dynamo4j.kvrouter.SchedulingRequest;
import io.dynamo4j.kvrouter.WorkerCandidates;
import io.dynamo4j.kvrouter.WorkerSelectionResult;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** How often each of several equal ranks was drawn: ours must draw from the same chances. */
public final class SelectionTiesReader implements CaseReader {
  /** So many standard deviations a count may be off before it is no matter of chance. */
  private static final double TOLERANCE = 5;

  private static final long SEED = 7;

  @Override
  public String name() {
    return "selection-ties";
  }

  @Override
  public boolean reads(JsonNode content) {
    return content.path("kind").asText().equals("ties")
        && content.has("config_env")
        && content.has("draws")
        && content.path("counts").isArray();
  }

  @Override
  public CaseKeys keys() {
    return CaseKeys.of(
        "kind", "tag", "config_env", "block_size", "draws", "counts", "index", "note");
  }

  @Override
  public Replay replay(JsonNode content) {
    Replay replay = Replay.create();
    Map<WorkerWithDpRank, Integer> recorded = new TreeMap<>();
    for (JsonNode row : Fields.array(content, "counts")) {
      if (row.size() != 3) {
        throw new MalformedCaseException("count is no worker, rank and number: row=" + row);
      }
      recorded.put(
          new WorkerWithDpRank(Fields.bits(row.get(0)), row.get(1).intValue()),
          row.get(2).intValue());
    }
    int draws = Fields.integer(content, "draws");
    replay.same("draws", draws, recorded.values().stream().mapToInt(Integer::intValue).sum());
    Map<WorkerWithDpRank, Integer> ours = draw(content, recorded, draws);
    double share = 1.0 / recorded.size();
    double deviation = Math.sqrt(draws * share * (1 - share));
    for (WorkerWithDpRank rank : recorded.keySet()) {
      compare(replay, rank + " recorded", recorded.get(rank), draws * share, deviation);
      compare(replay, rank + " ours", ours.getOrDefault(rank, 0), draws * share, deviation);
    }
    return replay;
  }

  private static void compare(
      Replay replay, String what, int count, double expected, double deviation) {
    if (Math.abs(count - expected) > TOLERANCE * deviation) {
      replay.fault(what + " is not one of equals: count=" + count + ", expected=" + expected);
    }
  }

  private static Map<WorkerWithDpRank, Integer> draw(
      JsonNode content, Map<WorkerWithDpRank, Integer> ranks, int draws) {
    Map<String, String> environment = new LinkedHashMap<>();
    Fields.required(content, "config_env")
        .properties()
        .forEach(entry -> environment.put(entry.getKey(), entry.getValue().asText()));
    DefaultWorkerSelector selector =
        DefaultWorkerSelector.of(KvRouterConfig.fromEnvironment(environment));
    int blockSize = Fields.integer(content, "block_size");
    SchedulingRequest request =
        SchedulingRequest.builder("tie", TokenSlice.wrap(new int[blockSize])).build();
    WorkerCandidates candidates = WorkerCandidates.create();
    candidates.reset(blockSize, blockSize, 1, true);
    ranks.keySet().forEach(rank -> candidates.add(rank, 0, 0, 0));
    RandomSource random = RandomSource.seeded(SEED);
    Map<WorkerWithDpRank, Integer> counts = new TreeMap<>();
    for (int i = 0; i < draws; i++) {
      WorkerSelectionResult chosen = selector.select(request, candidates, random);
      if (chosen != null) {
        counts.merge(chosen.worker(), 1, Integer::sum);
      }
    }
    return counts;
  }
}
