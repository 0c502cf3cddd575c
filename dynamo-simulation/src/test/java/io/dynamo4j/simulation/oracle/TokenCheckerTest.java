// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.testkit.engine.MockEngine;
import io.dynamo4j.testkit.engine.MockEngineConfig;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Streams of a real engine, damaged in every way that the checker must tell. */
class TokenCheckerTest {
  private static final long SEED = 77;
  private static final TokenSlice PROMPT = TokenSlice.of(5, 1, 4, -7, 9);
  private static final int LENGTH = 200;

  private final List<Integer> stream = new ArrayList<>(generate(SEED, PROMPT, LENGTH, 0));
  private final TokenChecker checker = TokenChecker.create(SEED, PROMPT, LENGTH);

  private static List<Integer> generate(long seed, TokenSlice prompt, int count, int eosInterval) {
    Simulation simulation = Simulation.builder().build();
    MockEngine engine =
        MockEngine.builder()
            .lane(simulation.node("worker").lane("engine"))
            .config(MockEngineConfig.builder().eosInterval(eosInterval).build())
            .build();
    Collector collector = new Collector();
    engine.handle(
        "r",
        PreprocessedRequest.builder("r", prompt)
            .samplingOptions(SamplingOptions.builder().seed(seed).build())
            .stopConditions(StopConditions.builder().maxTokens(count).build())
            .build(),
        collector);
    simulation.run();
    return collector.tokens;
  }

  private void deliver(List<Integer> tokens) {
    int[] array = tokens.stream().mapToInt(Integer::intValue).toArray();
    int half = array.length / 2;
    checker.delivered(TokenSlice.wrap(array, 0, half));
    checker.delivered(TokenSlice.empty());
    checker.delivered(TokenSlice.wrap(array, half, array.length - half));
  }

  private void complete(List<Integer> tokens) {
    deliver(tokens);
    checker.completed(FinishReason.LENGTH);
  }

  private void assertCounts(long lost, long repeated, long wrong) {
    assertThat(List.of(checker.lostCount(), checker.repeatedCount(), checker.wrongCount()))
        .as("lost, repeated, wrong")
        .containsExactly(lost, repeated, wrong);
    assertThat(checker.isFaultless()).isEqualTo(lost + repeated + wrong == 0);
  }

  @Test
  void shouldFindNoFaultInWhatAnEngineSends() {
    complete(stream);

    assertCounts(0, 0, 0);
    assertThat(checker.deliveredCount()).isEqualTo(LENGTH);
    assertThat(checker.isComplete()).isTrue();
  }

  @Test
  void shouldMissTheFinishReason() {
    deliver(stream);
    checker.completed(null);

    assertCounts(0, 0, 0);
    assertThat(checker.isComplete()).isFalse();
  }

  @Nested
  class Lost {

    @Test
    void shouldCountATokenThatIsMissing() {
      stream.remove(100);
      complete(stream);
      assertCounts(1, 0, 0);
    }

    @Test
    void shouldCountARunThatIsMissing() {
      stream.subList(20, 63).clear();
      complete(stream);
      assertCounts(43, 0, 0);
    }

    @Test
    void shouldCountTheFirstAndTheLast() {
      stream.remove(LENGTH - 1);
      stream.remove(0);
      complete(stream);
      assertCounts(2, 0, 0);
    }

    @Test
    void shouldCountTheSecondLast() {
      stream.remove(LENGTH - 2);
      complete(stream);
      assertCounts(1, 0, 0);
    }

    @Test
    void shouldCountEverythingThatACompletedStreamNeverSent() {
      complete(List.of());
      assertCounts(LENGTH, 0, 0);
    }

    @Test
    void shouldCountATokenLostAtEachOfTwoPlaces() {
      stream.remove(150);
      stream.remove(40);
      complete(stream);
      assertCounts(2, 0, 0);
    }

    @Test
    void shouldHoldNothingAgainstAStreamThatFailed() {
      deliver(stream.subList(0, 120));
      checker.failed();
      assertCounts(0, 0, 0);
      assertThat(checker.isComplete()).isFalse();
    }
  }

  @Nested
  class Repeated {

    @Test
    void shouldCountATokenDeliveredTwice() {
      stream.add(100, stream.get(99));
      complete(stream);
      assertCounts(0, 1, 0);
    }

    @Test
    void shouldCountARunDeliveredTwice() {
      stream.addAll(100, new ArrayList<>(stream.subList(70, 100)));
      complete(stream);
      assertCounts(0, 30, 0);
    }

    @Test
    void shouldCountTheFirstAndTheLast() {
      stream.add(stream.get(LENGTH - 1));
      stream.add(0, stream.get(0));
      complete(stream);
      assertCounts(0, 2, 0);
    }

    @Test
    void shouldCountALateFrameOfAnEarlierAttempt() {
      stream.add(100, stream.get(90));
      complete(stream);
      assertCounts(0, 1, 0);
    }
  }

  @Nested
  class Wrong {

    @Test
    void shouldCountATokenThatWasAltered() {
      stream.set(100, stream.get(100) ^ 1);
      complete(stream);
      assertCounts(0, 0, 1);
    }

    @Test
    void shouldCountAForeignToken() {
      stream.add(100, 123_456);
      complete(stream);
      assertCounts(0, 0, 1);
    }

    @Test
    void shouldCountTwoTokensThatChangedPlaces() {
      int swapped = stream.remove(100);
      stream.add(101, swapped);
      complete(stream);
      assertCounts(0, 0, 2);
    }

    @Test
    void shouldCountTokensBeyondTheEnd() {
      List<Integer> longer = generate(SEED, PROMPT, LENGTH + 5, 0);
      complete(longer);
      assertCounts(0, 0, 5);
    }

    @Test
    void shouldCountEverythingAfterAContextThatWasNotTheStreams() {
      // The continuation was given a context without the last token that the client had.
      int[] context = new int[PROMPT.length() + 99];
      PROMPT.copyTo(0, context, 0, PROMPT.length());
      for (int i = 0; i < 99; i++) {
        context[PROMPT.length() + i] = stream.get(i);
      }
      context[context.length - 1] ^= 1;
      List<Integer> seen = new ArrayList<>(stream.subList(0, 99));
      seen.addAll(generate(SEED, TokenSlice.wrap(context), LENGTH - 99, 0));
      complete(seen);
      assertCounts(0, 0, LENGTH - 99);
    }

    @Test
    void shouldCountEverythingWhenTheSeedIsAnother() {
      complete(generate(SEED + 1, PROMPT, LENGTH, 0));
      assertCounts(0, 0, LENGTH);
    }
  }

  @Test
  void shouldAddUpSeveralFaultsOfOneStream() {
    stream.set(180, stream.get(180) ^ 5);
    stream.add(120, stream.get(119));
    stream.subList(50, 54).clear();
    complete(stream);

    assertCounts(4, 1, 1);
  }

  @Test
  void shouldNeverOverlookDamage() {
    RandomSource random = RandomSource.seeded(11);
    for (int round = 0; round < 3_000; round++) {
      List<Integer> damaged = new ArrayList<>(stream);
      int at = random.nextInt(LENGTH);
      switch (random.nextInt(4)) {
        case 0 -> damaged.remove(at);
        case 1 -> damaged.add(at, damaged.get(at));
        case 2 -> damaged.set(at, damaged.get(at) ^ (1 + random.nextInt(65_535)));
        default -> damaged.add(at, random.nextInt(65_536));
      }
      TokenChecker fresh = TokenChecker.create(SEED, PROMPT, LENGTH);
      fresh.delivered(TokenSlice.wrap(damaged.stream().mapToInt(Integer::intValue).toArray()));
      fresh.completed(FinishReason.LENGTH);
      assertThat(fresh.lostCount() + fresh.repeatedCount() + fresh.wrongCount())
          .as("round=" + round + ", " + fresh)
          .isEqualTo(1);
    }
  }

  @Test
  void shouldKnowWhereAnAnswerEndsByItself() {
    List<Integer> answer = generate(SEED, PROMPT, LENGTH, 40);
    TokenChecker whole = TokenChecker.create(SEED, PROMPT, LENGTH, 40);
    TokenChecker cut = TokenChecker.create(SEED, PROMPT, LENGTH, 40);
    int[] tokens = answer.stream().mapToInt(Integer::intValue).toArray();

    whole.delivered(TokenSlice.wrap(tokens));
    whole.completed(FinishReason.EOS);
    cut.delivered(TokenSlice.wrap(tokens));
    cut.completed(FinishReason.LENGTH);

    assertThat(answer).hasSizeLessThan(LENGTH);
    assertThat(whole.isComplete()).isTrue();
    assertThat(cut.isComplete()).isFalse();
  }

  private static final class Collector implements ResponseSink<LLMEngineOutput> {
    private final List<Integer> tokens = new ArrayList<>();

    @Override
    public void onCancel(Runnable action) {}

    @Override
    public void open() {}

    @Override
    public boolean next(LLMEngineOutput item) {
      for (int token : item.tokenIds().toArray()) {
        tokens.add(token);
      }
      return true;
    }

    @Override
    public void complete() {}

    @Override
    public void fail(DynamoException error) {
      throw error;
    }
  }
}
