// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.testing.SharedData;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.kvrouter.DecisionCandidate;
import io.dynamo4j.kvrouter.SchedulingRequest;
import io.dynamo4j.simulation.fleet.FleetConditions;
import io.dynamo4j.simulation.fleet.FleetConfig;
import io.dynamo4j.simulation.fleet.FleetPolicy;
import io.dynamo4j.simulation.fleet.FleetResult;
import io.dynamo4j.simulation.fleet.FleetRun;
import io.dynamo4j.simulation.fleet.FleetSeams;
import io.dynamo4j.simulation.fleet.SimulatedFleet;
import io.dynamo4j.simulation.trace.PromptTokens;
import io.dynamo4j.simulation.trace.TraceReader;
import io.dynamo4j.simulation.trace.TraceRow;
import io.dynamo4j.testkit.engine.EngineListener;
import io.dynamo4j.testkit.simulation.Simulation;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Dynamo's cost in a fleet of unequal workers, told nothing of it. */
@Tag("slow")
class LearnedSpeedsTest {
  private static final double[] TRUE_SPEEDS = {1, 2, 4};
  private static final int REQUESTS = 500;

  private static final double TOLERANCE = 0.15;

  private static FleetConfig.Builder unequal() {
    return FleetConfig.builder()
        .policy(FleetPolicy.KV)
        .workers(6)
        .killEvery(0)
        .conditions(FleetConditions.builder().speeds(1, 2, 4).build());
  }

  private static List<TraceRow> rows() throws IOException {
    return TraceReader.read(SharedData.path("data/traces/mooncake_trace_1000.jsonl"));
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "2, 250", "3, 500"})
  void shouldLearnSpeedsFromFiveHundredRequests(long seed, int from) throws IOException {
    Simulation simulation = Simulation.builder().seed(seed).build();
    SimulatedFleet fleet =
        new SimulatedFleet(
            simulation,
            unequal().learnsSpeeds(true).build(),
            new FleetSeams() {},
            position -> new EngineListener() {},
            event -> {});
    send(simulation, fleet, rows().subList(from, from + REQUESTS));
    simulation.run();

    SchedulingRequest next =
        SchedulingRequest.builder("next", TokenSlice.wrap(new int[] {1, 2, 3})).build();
    List<DecisionCandidate> candidates =
        Objects.requireNonNull(fleet.router()).explain(next).candidates();
    double fastest = speedOf(candidates, 2);
    for (int position = 0; position < candidates.size(); position++) {
      double expected = TRUE_SPEEDS[position % 3] / 4;
      assertThat(speedOf(candidates, position) / fastest)
          .as("speed of worker %d to the fastest", position)
          .isCloseTo(expected, within(TOLERANCE * expected));
    }
  }

  private static void send(Simulation simulation, SimulatedFleet fleet, List<TraceRow> rows) {
    PromptTokens prompts = PromptTokens.of(TraceReader.MOONCAKE_BLOCK_SIZE);
    long origin = rows.get(0).arrivalNanos(1);
    for (int number = 0; number < rows.size(); number++) {
      TraceRow row = rows.get(number);
      PreprocessedRequest request = request(number, prompts.prompt(row, number), row);
      simulation
          .controller()
          .schedule(
              () -> fleet.answer(request).subscribe(new Reader()), row.arrivalNanos(1) - origin);
    }
  }

  private static double speedOf(List<DecisionCandidate> candidates, int position) {
    return candidates.stream()
        .filter(candidate -> candidate.worker().workerId() == position + 1)
        .mapToDouble(DecisionCandidate::prefillSpeed)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void shouldAnswerSoonerThanWithoutLearning() throws IOException {
    FleetResult untold = FleetRun.run(unequal().build(), rows(), arrived -> {});
    FleetResult learned = FleetRun.run(unequal().learnsSpeeds(true).build(), rows(), arrived -> {});

    assertThat(learned.tokens().isExact()).isTrue();
    assertThat(learned.failedStreams()).isZero();
    assertThat(learned.ttft().mean()).isLessThan(0.9 * untold.ttft().mean());
  }

  private static PreprocessedRequest request(int number, TokenSlice prompt, TraceRow row) {
    return PreprocessedRequest.builder(Integer.toString(number), prompt)
        .model("mock")
        .stopConditions(
            StopConditions.builder().maxTokens(row.outputLength()).ignoreEos(true).build())
        .samplingOptions(SamplingOptions.builder().seed(number).build())
        .build();
  }

  /** Takes everything as it comes. */
  private static final class Reader implements Flow.Subscriber<LLMEngineOutput> {

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(LLMEngineOutput item) {
      // Only the router learns.
    }

    @Override
    public void onError(Throwable failure) {
      throw new AssertionError("stream failed", failure);
    }

    @Override
    public void onComplete() {
      // Only the router learns.
    }
  }
}
