// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.simulation.fleet.SimulatedWorker;
import io.dynamo4j.simulation.oracle.TokenChecker;
import io.dynamo4j.testkit.search.ScenarioSpec;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One request of a scenario: a function of the scenario's seed and the request's number alone, so
 * that leaving others out does not change it.
 */
final class ScenarioRequest {
  /** Marks a request that any worker may serve. */
  static final int NOT_PINNED = -1;

  private static final int PREFIXES = 6;
  private static final int NO_STOP = -1;

  private final int number;
  private final long seed;
  private final int[] prompt;
  private final int maxTokens;
  private final long arrivalNanos;

  private int outputTokens;
  private int stopToken = NO_STOP;
  private boolean hasGrammar;
  private int pinnedPosition = NOT_PINNED;

  private ScenarioRequest(int number, long seed, int[] prompt, int maxTokens, long arrival) {
    this.number = number;
    this.seed = seed;
    this.prompt = prompt;
    this.maxTokens = maxTokens;
    this.outputTokens = maxTokens;
    this.arrivalNanos = arrival;
  }

  static ScenarioRequest draw(ScenarioSpec spec, int number) {
    RandomSource random = RandomSource.seeded(spec.seed()).split("request-" + number);
    int blockSize = ScenarioSettings.blockSize(spec);
    int promptBlocks = random.nextInt(ScenarioSettings.promptBlocks(spec)) + 1;
    int tail = random.nextInt(blockSize);
    int shared = random.nextInt(promptBlocks + 1) * blockSize;
    int prefix = random.nextInt(PREFIXES);
    int[] prompt = new int[Math.max(1, promptBlocks * blockSize + tail)];
    for (int i = 0; i < prompt.length; i++) {
      prompt[i] = i < shared ? prefix * 1_000_003 + i : random.nextInt(Integer.MAX_VALUE);
    }
    int output = 1 + random.nextInt(ScenarioSettings.outputTokens(spec));
    double gapMillis = ScenarioSettings.arrivalGapMillis(spec);
    long arrival = (long) ((number + random.nextDouble()) * gapMillis * 1e6);
    ScenarioRequest drawn = new ScenarioRequest(number, random.nextLong(), prompt, output, arrival);
    if (ScenarioSettings.hasMixedRequests(spec)) {
      drawn.drawKind(random.split("kind"), spec);
    }
    return drawn;
  }

  private void drawKind(RandomSource random, ScenarioSpec spec) {
    switch (random.nextInt(10)) {
      case 0, 1 -> stopAt(random.nextInt(maxTokens));
      case 2 -> hasGrammar = true;
      case 3 ->
          pinnedPosition =
              ScenarioSettings.canPin(spec) ? random.nextInt(spec.workers()) : NOT_PINNED;
      default -> {}
    }
  }

  /** Makes the token at a position of the full answer one that ends it, wherever it comes first. */
  private void stopAt(int position) {
    int[] answer = TokenChecker.expectedTokens(seed, TokenSlice.wrap(prompt), maxTokens);
    stopToken = answer[position];
    outputTokens = 1;
    while (answer[outputTokens - 1] != stopToken) {
      outputTokens++;
    }
  }

  int number() {
    return number;
  }

  /** Returns the seed of the answer. */
  long seed() {
    return seed;
  }

  /** Returns the prompt; not to be modified. */
  int[] prompt() {
    return prompt;
  }

  /** Returns the budget of tokens that the request states. */
  int maxTokens() {
    return maxTokens;
  }

  /** Returns the length of the whole answer. */
  int outputTokens() {
    return outputTokens;
  }

  /** Returns whether an answer of full length may end with this reason. */
  boolean mayEndWith(@Nullable FinishReason reason) {
    return (reason == FinishReason.STOP && stopToken != NO_STOP)
        || (reason == FinishReason.LENGTH && outputTokens == maxTokens);
  }

  /** Returns whether the answer depends on more than tokens, so that only its start is repeated. */
  boolean hasGrammar() {
    return hasGrammar;
  }

  /** Returns the position of the only worker that may serve it, or {@link #NOT_PINNED}. */
  int pinnedPosition() {
    return pinnedPosition;
  }

  long arrivalNanos() {
    return arrivalNanos;
  }

  PreprocessedRequest toRequest() {
    StopConditions.Builder stop = StopConditions.builder().maxTokens(maxTokens).ignoreEos(true);
    if (stopToken != NO_STOP) {
      stop.stopTokenIds(List.of(stopToken));
    }
    SamplingOptions.Builder sampling = SamplingOptions.builder().seed(seed);
    if (hasGrammar) {
      sampling.guidedDecoding(Map.of("regex", ".*"));
    }
    PreprocessedRequest.Builder request =
        PreprocessedRequest.builder(Integer.toString(number), TokenSlice.wrap(prompt))
            .model("mock")
            .stopConditions(stop.build())
            .samplingOptions(sampling.build());
    if (pinnedPosition != NOT_PINNED) {
      WorkerWithDpRank pinned = WorkerWithDpRank.of(SimulatedWorker.workerId(pinnedPosition));
      request.routing(RoutingHints.builder().pinnedWorker(pinned).build());
    }
    return request.build();
  }
}
