// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.indexer.engine.EngineEventNormalizer;
import io.dynamo4j.testkit.contract.SimulatedLaneHarness;
import io.dynamo4j.testkit.simulation.Simulation;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class PulledEngineEventSourceTest {
  private static final String STORED =
      "{\"event_id\": %d, \"window_size\": %d, \"data\": {\"type\": \"stored\", \"parent_hash\":"
          + " null, \"blocks\": [{\"block_hash\": %d, \"tokens\": [{\"token_id\": 1},"
          + " {\"token_id\": 2}]}]}}";

  private final ArrayDeque<CompletableFuture<byte[]>> answers = new ArrayDeque<>();
  private final List<String> told = new ArrayList<>();
  private final List<byte[]> batches = new ArrayList<>();

  @Test
  void shouldTellEachDictionaryAndWhatIsMissing() {
    answer("[{\"event_id\": 0, \"data\": {}}, {\"event_id\": 1, \"data\": {}}]");
    answer("[{\"event_id\": 4, \"attention_dp_rank\": 0, \"data\": {}}]");
    answer("[{\"event_id\": 0, \"attention_dp_rank\": 2, \"data\": {}}]");
    answer("no JSON");
    answers.add(CompletableFuture.failedFuture(new IllegalStateException("engine is gone")));
    answer("[{\"event_id\": 1, \"data\": {}}, {\"data\": {}}]");
    PulledEngineEventSource source = run();
    assertThat(told)
        .containsExactly(
            "0:0", "0:1", "0:lost 2-3", "0:4", "2:0", "0:restart", "0:lost 0-0", "0:1", "0:2");
    assertThat(source.failureCount()).isEqualTo(2);
    assertThat(source.pullCount()).isEqualTo(7);
  }

  /** The largest window wins, a block that is not full is left out, and so is its removal. */
  @Test
  void shouldBecomeEventsByTheRulesOfTheEngine() {
    answer(
        "[{\"event_id\": 0, \"window_size\": 64, \"data\": {\"type\": \"created\"}},"
            + " {\"event_id\": 1, \"window_size\": 128, \"data\": {\"type\": \"created\"}},"
            + STORED.formatted(2, 128, 7)
            + ","
            + STORED.formatted(3, 64, 8)
            + ", {\"event_id\": 4, \"window_size\": 128, \"data\": {\"type\": \"stored\","
            + " \"parent_hash\": 7, \"blocks\": [{\"block_hash\": 9, \"tokens\": [{\"token_id\":"
            + " 3}]}]}}, {\"event_id\": 5, \"window_size\": 128, \"data\": {\"type\": \"removed\","
            + " \"block_hashes\": [9, 7]}}]");
    run();
    EngineEventNormalizer normalizer = EngineEventNormalizer.builder(1, 2).build();
    List<RouterEvent> events = new ArrayList<>();
    batches.forEach(batch -> events.addAll(normalizer.normalize(batch)));
    assertThat(normalizer.status().storedBlocks()).isEqualTo(1);
    assertThat(normalizer.status().removedBlocks()).isEqualTo(1);
    assertThat(events).hasSize(2);
  }

  @Test
  void shouldRefuseToPullWithoutAPause() {
    try (SimulatedLaneHarness harness =
        SimulatedLaneHarness.over(Simulation.builder().seed(1).build())) {
      Scheduler lane = harness.lanes().lane("listener");
      assertThatIllegalArgumentException()
          .isThrownBy(
              () ->
                  PulledEngineEventSource.open(
                      CompletableFuture::new, lane, Duration.ZERO, new RecordingListener()));
    }
  }

  private void answer(String json) {
    answers.add(CompletableFuture.completedFuture(json.getBytes(StandardCharsets.UTF_8)));
  }

  /** Pulls until there are no more answers. */
  private PulledEngineEventSource run() {
    CompletableFuture<Void> asked = new CompletableFuture<>();
    try (SimulatedLaneHarness harness =
        SimulatedLaneHarness.over(Simulation.builder().seed(1).build())) {
      Scheduler lane = harness.lanes().lane("listener");
      PulledEngineEventSource source =
          PulledEngineEventSource.open(
              () -> {
                CompletableFuture<byte[]> next = answers.poll();
                if (next == null) {
                  asked.complete(null);
                  return new CompletableFuture<>();
                }
                return next;
              },
              lane,
              Duration.ofMillis(10),
              new Teller());
      harness.await(asked);
      source.close();
      return source;
    }
  }

  private final class Teller implements EngineEventListener {

    @Override
    public void batch(int dpRank, long sequence, byte[] payload) {
      told.add(dpRank + ":" + sequence);
      batches.add(payload);
    }

    @Override
    public void restarted(int dpRank) {
      told.add(dpRank + ":restart");
    }

    @Override
    public void lost(int dpRank, long first, long last) {
      told.add(dpRank + ":lost " + first + "-" + last);
    }
  }
}
