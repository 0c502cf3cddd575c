// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.hash.SequenceHasher;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.testing.SharedData;
import io.dynamo4j.core.token.TokenSlice;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Costs, loads and winners that Dynamo 1.6.1 was recorded with. */
class SelectionConformanceTest {

  @TestFactory
  Stream<DynamicTest> shouldAgreeWithRecordedDecisions() throws IOException {
    JsonNode root = new ObjectMapper().readTree(SharedData.golden("core/selection.json").toFile());
    return StreamSupport.stream(root.get("cases").spliterator(), false)
        .filter(scenario -> scenario.has("rows"))
        .map(
            scenario ->
                DynamicTest.dynamicTest(
                    scenario.get("kind").asText() + " " + scenario.get("index").asInt(),
                    () -> new Scenario(scenario).check()));
  }

  private static final class Scenario {
    private final JsonNode scenario;
    private final KvRouterConfig config;
    private final int blockSize;
    private final SchedulingRequest request;
    private final boolean tracksPrefill;
    private final long[] hashes;
    private final Map<WorkerWithDpRank, JsonNode> rows = new LinkedHashMap<>();

    Scenario(JsonNode scenario) {
      this.scenario = scenario;
      Map<String, String> environment = new LinkedHashMap<>();
      scenario
          .get("config_env")
          .fields()
          .forEachRemaining(entry -> environment.put(entry.getKey(), entry.getValue().asText()));
      this.config = KvRouterConfig.fromEnvironment(environment);
      this.blockSize = scenario.get("block_size").asInt();
      this.request = SchedulingRequest.builder("r", tokens(scenario.get("token_ids"))).build();
      JsonNode override = scenario.get("request_extra").path("router_config_override");
      this.tracksPrefill =
          config.routerTrackPrefillTokens()
              && override.path("track_prefill_tokens").asBoolean(true);
      this.hashes = hashes(request.tokenIds(), config.routerAssumeKvReuse() ? 0 : -1);
      for (JsonNode row : scenario.get("rows")) {
        rows.put(rank(row), row);
      }
    }

    void check() {
      checkLoads();
      rows.forEach(this::checkPinned);
      checkWinners();
      if (config.routerTemperature() > 0) {
        checkDistribution();
      }
    }

    /** The recorded bookings, replayed, give the recorded loads. */
    private void checkLoads() {
      ActiveBlockTracker tracker = ActiveBlockTracker.create(1);
      int id = 0;
      for (JsonNode active : scenario.get("active")) {
        book(tracker, active, id++);
      }
      WorkerCandidates candidates = candidates();
      for (WorkerWithDpRank worker : rows.keySet()) {
        candidates.add(worker, 0, 0, 0);
      }
      tracker.project(hashes, hashes.length, candidates);
      for (int i = 0; i < candidates.size(); i++) {
        JsonNode row = Objects.requireNonNull(rows.get(candidates.worker(i)));
        assertThat(candidates.activePrefillTokens(i)).isEqualTo(row.get("A_tok").asLong());
        assertThat(candidates.activeBlocks(i)).isEqualTo(row.get("A_blk").asLong());
        assertThat(candidates.activeRequests(i)).isEqualTo(row.get("A_req").asInt());
        assertThat(candidates.addedBlocks(i)).isEqualTo(row.get("add").asInt());
      }
    }

    private void book(ActiveBlockTracker tracker, JsonNode active, int id) {
      long[] blocks =
          hashes(tokens(active.get("token_ids")), config.routerAssumeKvReuse() ? 0 : id + 1);
      boolean tracked = active.path("track_prefill_tokens").asBoolean(true);
      Booking booking =
          Booking.of(
              new BookingKey("a" + id, 0),
              rank(active),
              blocks,
              blocks.length,
              tracked ? active.path("effective_prefill_tokens").asLong(0) : 0);
      tracker.book(booking);
      for (JsonNode fraction : active.path("output_block_decay_fractions")) {
        if (fraction.isNull()) {
          tracker.addOutputBlock(booking);
        } else {
          tracker.addOutputBlock(booking, fraction.asDouble());
        }
      }
      if (active.path("prefill_complete").asBoolean(false)) {
        tracker.markPrefillCompleted(booking);
      }
    }

    private void checkPinned(WorkerWithDpRank worker, JsonNode row) {
      WorkerCandidates candidates = candidates();
      add(candidates, worker, row);
      WorkerSelectionResult pinned = select(candidates, 0);

      assertThat(pinned.cost()).isCloseTo(row.get("pinned_cost_3dp").asDouble(), within(0.000501));
      assertThat(pinned.cost()).isCloseTo(row.get("formula_cost_pinned").asDouble(), within(1e-9));
      assertThat(pinned.effectiveOverlapBlocks())
          .isCloseTo(row.get("effective_cached_blocks").asDouble(), within(0.005001));
      if (config.routerAssumeKvReuse()) {
        assertThat(pinned.potentialDecodeBlocks())
            .isEqualTo(row.get("select_potential_decode_blocks").asLong());
      }
    }

    /** Every recorded winner costs, to the last bit, what it costs here; nothing costs less. */
    private void checkWinners() {
      WorkerCandidates candidates = eligible();
      KvWorkerScorer scorer = KvWorkerScorer.of(config);
      double least = Double.POSITIVE_INFINITY;
      Map<WorkerWithDpRank, Double> costs = new LinkedHashMap<>();
      for (int i = 0; i < candidates.size(); i++) {
        double cost = scorer.cost(request, candidates, i);
        costs.put(candidates.worker(i), cost);
        least = Math.min(least, cost);
      }
      for (JsonNode chosen : scenario.get("chosen")) {
        double recorded = chosen.get("cost").asDouble();
        assertThat(costs.get(rank(chosen))).isEqualTo(recorded);
        if (config.routerTemperature() == 0) {
          assertThat(recorded).isEqualTo(least);
        }
      }
    }

    private void checkDistribution() {
      int draws = 20_000;
      Map<WorkerWithDpRank, Integer> counts = new LinkedHashMap<>();
      RandomSource random = RandomSource.seeded(scenario.get("index").asLong());
      DefaultWorkerSelector selector = DefaultWorkerSelector.of(config);
      for (int i = 0; i < draws; i++) {
        WorkerSelectionResult result = selector.select(request, eligible(), random);
        counts.merge(Objects.requireNonNull(result).worker(), 1, Integer::sum);
      }
      rows.forEach(
          (worker, row) ->
              assertThat(counts.getOrDefault(worker, 0) / (double) draws)
                  .isCloseTo(row.get("softmax_probability").asDouble(), within(0.015)));
    }

    private WorkerSelectionResult select(WorkerCandidates candidates, long seed) {
      return Objects.requireNonNull(
          DefaultWorkerSelector.of(config).select(request, candidates, RandomSource.seeded(seed)));
    }

    private WorkerCandidates eligible() {
      WorkerCandidates candidates = candidates();
      rows.forEach(
          (worker, row) -> {
            if (row.get("eligible").asBoolean()) {
              add(candidates, worker, row);
            }
          });
      return candidates;
    }

    private WorkerCandidates candidates() {
      WorkerCandidates candidates = WorkerCandidates.create();
      candidates.reset(request.tokenIds().length(), blockSize, hashes.length, tracksPrefill);
      return candidates;
    }

    private static void add(WorkerCandidates candidates, WorkerWithDpRank worker, JsonNode row) {
      int index =
          candidates.add(
              worker, row.get("dev").asInt(), row.get("host").asInt(), row.get("disk").asInt());
      candidates.setLoad(
          index,
          row.get("A_tok").asLong(),
          row.get("A_blk").asLong(),
          row.get("add").asInt(),
          row.get("A_req").asInt());
    }

    /** Sequence hashes; a salt other than 0 makes them those of nobody else. */
    private long[] hashes(TokenSlice tokens, long salt) {
      long[] hashes = BlockHasher.of(BlockHashOptions.of(blockSize)).hash(tokens);
      SequenceHasher.hash(hashes, hashes.length, hashes);
      for (int i = 0; i < hashes.length; i++) {
        hashes[i] += salt;
      }
      return hashes;
    }

    private static TokenSlice tokens(JsonNode ids) {
      int[] tokens = new int[ids.size()];
      for (int i = 0; i < tokens.length; i++) {
        tokens[i] = (int) ids.get(i).asLong();
      }
      return TokenSlice.wrap(tokens);
    }

    private static WorkerWithDpRank rank(JsonNode node) {
      return new WorkerWithDpRank(node.get("worker_id").asLong(), node.get("dp_rank").asInt());
    }
  }
}
