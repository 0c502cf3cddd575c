// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.testkit.search.ScenarioSpec;

/**
 * One request of a scenario: a function of the scenario's seed and the request's number alone, so
 * that leaving others out does not change it.
 */
final class ScenarioRequest {
  private static final int PREFIXES = 6;

  private final int number;
  private final long seed;
  private final int[] prompt;
  private final int outputTokens;
  private final long arrivalNanos;

  private ScenarioRequest(int number, long seed, int[] prompt, int outputTokens, long arrival) {
    this.number = number;
    this.seed = seed;
    this.prompt = prompt;
    this.outputTokens = outputTokens;
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
    return new ScenarioRequest(number, random.nextLong(), prompt, output, arrival);
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

  int outputTokens() {
    return outputTokens;
  }

  long arrivalNanos() {
    return arrivalNanos;
  }

  PreprocessedRequest toRequest() {
    return PreprocessedRequest.builder(Integer.toString(number), TokenSlice.wrap(prompt))
        .model("mock")
        .stopConditions(StopConditions.builder().maxTokens(outputTokens).ignoreEos(true).build())
        .samplingOptions(SamplingOptions.builder().seed(seed).build())
        .build();
  }
}
