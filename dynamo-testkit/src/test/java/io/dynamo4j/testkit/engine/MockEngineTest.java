// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.engine;

import static io.dynamo4j.testkit.engine.EngineFixture.prompt;
import static io.dynamo4j.testkit.engine.EngineFixture.request;
import static io.dynamo4j.testkit.engine.EngineFixture.smallConfig;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.token.TokenSlice;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class MockEngineTest {
  private final EngineFixture fixture = new EngineFixture(smallConfig().build());

  private static int[] concat(int[] first, int[] second) {
    return IntStream.concat(Arrays.stream(first), Arrays.stream(second)).toArray();
  }

  @Nested
  class Tokens {

    @Test
    void shouldFinishWithLengthWhenTheBudgetIsSpent() {
      RecordingSink sink = fixture.serve(request("a", prompt(1, 10), 7, 20));

      assertThat(sink.tokens).hasSize(20).allMatch(t -> t >= 0 && t < 65_536);
      assertThat(sink.frameSizes).hasSize(20).containsOnly(1);
      assertThat(sink.finishReason).isEqualTo(FinishReason.LENGTH);
      assertThat(sink.isComplete).isTrue();
    }

    @Test
    void shouldGoOnAsBeforeWhenTheContinuationHasTheWholeContext() {
      int[] prompt = prompt(1, 10);
      int[] whole = fixture.serve(request("a", prompt, 7, 20)).tokenArray();

      for (int delivered = 0; delivered < 20; delivered++) {
        int[] context = concat(prompt, Arrays.copyOf(whole, delivered));
        RecordingSink rest =
            new EngineFixture(smallConfig().build())
                .serve(request("a", context, 7, 20 - delivered));
        assertThat(rest.tokenArray()).isEqualTo(Arrays.copyOfRange(whole, delivered, 20));
      }
    }

    @Test
    void shouldAnswerOtherwiseWhenTheContextDiffersAnywhere() {
      int[] prompt = prompt(1, 10);
      List<Integer> answer = fixture.serve(request("a", prompt, 7, 6)).tokens;

      int[] swapped = prompt.clone();
      swapped[3] = prompt[4];
      swapped[4] = prompt[3];
      int[] altered = prompt.clone();
      altered[0] ^= 1;
      int[] shortened = Arrays.copyOf(prompt, 9);
      int[] repeated = concat(prompt, new int[] {prompt[9]});
      for (int[] other : List.of(swapped, altered, shortened, repeated)) {
        assertThat(fixture.serve(request("b", other, 7, 6)).tokens).isNotEqualTo(answer);
      }
      assertThat(fixture.serve(request("b", prompt, 8, 6)).tokens).isNotEqualTo(answer);
    }

    @Test
    void shouldTakeSeedZeroWhenTheRequestSetsNone() {
      PreprocessedRequest unseeded =
          request("a", prompt(1, 5), 0, 4).toBuilder()
              .samplingOptions(SamplingOptions.ofDefaults())
              .build();

      assertThat(fixture.serve(unseeded).tokens)
          .isEqualTo(fixture.serve(request("b", prompt(1, 5), 0, 4)).tokens);
    }

    @Test
    void shouldSendFramesAsConfiguredWithTheSameTokens() {
      int[] plain = fixture.serve(request("a", prompt(1, 5), 7, 30)).tokenArray();
      EngineFixture other =
          new EngineFixture(
              smallConfig().tokensPerFrame(3).emptyFrameInterval(5).finishAlone(true).build());

      RecordingSink sink = other.serve(request("a", prompt(1, 5), 7, 30));

      assertThat(sink.tokenArray()).isEqualTo(plain);
      assertThat(sink.frameSizes).contains(3, 0).allMatch(size -> size <= 3);
      assertThat(sink.frameSizes).endsWith(0);
      assertThat(sink.finishReason).isEqualTo(FinishReason.LENGTH);
    }

    @Test
    void shouldEndAtTheSamePlaceWhenAnAnswerThatEndsByItselfIsContinued() {
      MockEngineConfig config = smallConfig().eosInterval(10).build();
      int[] prompt = prompt(1, 5);
      RecordingSink whole = new EngineFixture(config).serve(request("a", prompt, 7, 200));
      int length = whole.tokens.size();

      assertThat(whole.finishReason).isEqualTo(FinishReason.EOS);
      assertThat(length).isBetween(2, 199);
      int[] context = concat(prompt, Arrays.copyOf(whole.tokenArray(), length - 1));
      RecordingSink rest =
          new EngineFixture(config).serve(request("a", context, 7, 200 - length + 1));
      assertThat(rest.tokens).hasSize(1);
      assertThat(rest.finishReason).isEqualTo(FinishReason.EOS);
    }

    @Test
    void shouldIgnoreTheEndWhenToldToOrBelowTheMinimum() {
      MockEngineConfig config = smallConfig().eosInterval(1).build();
      StopConditions ignoring = StopConditions.builder().maxTokens(12).ignoreEos(true).build();
      StopConditions late = StopConditions.builder().maxTokens(12).minTokens(5).build();
      PreprocessedRequest request = request("a", prompt(1, 5), 7, 12);

      RecordingSink ignored =
          new EngineFixture(config).serve(request.toBuilder().stopConditions(ignoring).build());
      RecordingSink delayed =
          new EngineFixture(config).serve(request.toBuilder().stopConditions(late).build());

      assertThat(ignored.tokens).hasSize(12);
      assertThat(ignored.finishReason).isEqualTo(FinishReason.LENGTH);
      assertThat(delayed.tokens).hasSize(5);
      assertThat(delayed.finishReason).isEqualTo(FinishReason.EOS);
    }

    @Test
    void shouldStopWhenAStopTokenIsGenerated() {
      PreprocessedRequest request = request("a", prompt(1, 5), 7, 12);
      int third = fixture.serve(request).tokens.get(2);
      StopConditions stop =
          StopConditions.builder().maxTokens(12).stopTokenIds(List.of(third)).build();

      RecordingSink sink = fixture.serve(request.toBuilder().stopConditions(stop).build());

      assertThat(sink.tokens).hasSize(3);
      assertThat(sink.finishReason).isEqualTo(FinishReason.STOP);
    }
  }

  @Nested
  class Contract {

    private void assertRefused(PreprocessedRequest request) {
      assertThatThrownBy(() -> fixture.send(request))
          .isInstanceOfSatisfying(
              DynamoException.class,
              e -> assertThat(e.errorType()).isEqualTo(ErrorType.BACKEND_INVALID_ARGUMENT))
          .hasMessageContaining("requestId=a");
      fixture.simulation.run();
      assertThat(fixture.engine.stepCount()).isZero();
    }

    @Test
    void shouldRefuseWhenNoTokenMayBeGenerated() {
      assertRefused(request("a", prompt(1, 5), 7, 0));
    }

    @Test
    void shouldRefuseWhenThePromptIsEmpty() {
      assertRefused(request("a", new int[0], 7, 1));
    }

    @Test
    void shouldRefuseWhenSeveralChoicesAreAsked() {
      assertRefused(
          request("a", prompt(1, 5), 7, 1).toBuilder()
              .samplingOptions(SamplingOptions.builder().n(2).build())
              .build());
    }

    @Test
    void shouldRefuseWhatIsLargerThanTheCacheAndServeWhatJustFits() {
      assertRefused(request("a", prompt(1, 250), 7, 8));
      assertRefused(request("a", prompt(1, 257), 7, 1));

      assertThat(fixture.serve(request("b", prompt(1, 250), 7, 7)).isComplete).isTrue();
      assertThat(fixture.serve(request("c", prompt(1, 256), 7, 1)).isComplete).isTrue();
    }

    @Test
    void shouldBoundAnUnlimitedRequestByTheDefaultAndByTheCache() {
      EngineFixture other = new EngineFixture(smallConfig().defaultMaxTokens(300).build());
      PreprocessedRequest unlimited =
          PreprocessedRequest.builder("a", TokenSlice.of(prompt(1, 200))).build();

      assertThat(other.serve(unlimited).tokens).hasSize(57);
    }
  }

  @Nested
  class Cache {

    @Test
    void shouldReuseFullBlocksButComputeAtLeastOneToken() {
      fixture.serve(request("a", prompt(1, 12), 7, 1));
      fixture.serve(request("b", prompt(1, 12), 8, 1));
      fixture.serve(request("c", prompt(1, 13), 9, 1));
      fixture.serve(request("d", concat(prompt(1, 6), prompt(900, 6)), 9, 1));

      assertThat(fixture.log)
          .contains("admitted a 0/12", "admitted b 8/12", "admitted c 12/13", "admitted d 4/12");
    }

    @Test
    void shouldShareBlocksOfAChunkWithARequestAdmittedInTheSameStep() {
      fixture.send(request("a", prompt(1, 12), 7, 3));
      fixture.send(request("b", prompt(1, 13), 8, 3));
      fixture.simulation.run();

      assertThat(fixture.log).startsWith("admitted a 0/12", "admitted b 12/13");
    }

    @Test
    void shouldReuseGeneratedTokensAsPartOfTheNextTurn() {
      int[] answer = fixture.serve(request("a", prompt(1, 6), 7, 11)).tokenArray();
      fixture.serve(request("b", concat(concat(prompt(1, 6), answer), prompt(50, 9)), 8, 1));

      // The last token of the answer was never computed: 16 of the 17 tokens are cached.
      assertThat(fixture.log).contains("admitted b 16/26");
    }

    @Test
    void shouldKeepAdaptersAndTenantsApart() {
      PreprocessedRequest plain = request("a", prompt(1, 12), 7, 1);
      fixture.serve(plain);
      fixture.serve(
          request("b", prompt(1, 12), 7, 1).toBuilder()
              .routing(RoutingHints.builder().loraName("x").build())
              .build());
      fixture.serve(
          request("c", prompt(1, 12), 7, 1).toBuilder()
              .routing(RoutingHints.builder().cacheNamespace("x").build())
              .build());

      assertThat(fixture.log).contains("admitted b 0/12", "admitted c 0/12");
    }

    @Test
    void shouldEvictTheOldestUnusedAndTheTailOfASequenceFirst() {
      EngineFixture tiny = new EngineFixture(smallConfig().capacityBlocks(6).build());
      tiny.serve(request("a", prompt(1, 16), 7, 1));
      tiny.serve(request("b", prompt(100, 13), 7, 1));
      tiny.serve(request("c", prompt(1, 16), 7, 1));

      // b needs 4 of 6 blocks: the last two of a's four go, its head stays.
      assertThat(tiny.log).contains("admitted c 8/16");
      CacheMirror mirror = new CacheMirror();
      mirror.applyAll(tiny.events);
      long[] cached = tiny.engine.cachedBlockHashes();
      Arrays.sort(cached);
      assertThat(mirror.sortedBlocks()).isEqualTo(cached);
    }

    @Test
    void shouldAnnounceAndRecomputeWhenTheCacheIsCleared() {
      int[] undisturbed = fixture.serve(request("x", prompt(1, 10), 7, 20)).tokenArray();
      EngineFixture other = new EngineFixture(smallConfig().build());
      RecordingSink sink = other.send(request("a", prompt(1, 10), 7, 20));
      other.simulation.runFor(60_000_000);
      assertThat(sink.tokens).hasSizeBetween(1, 19);

      other.engine.clearCache();
      other.simulation.run();

      assertThat(sink.tokenArray()).isEqualTo(undisturbed);
      assertThat(other.log).anyMatch(line -> line.startsWith("resumed a 0/"));
      CacheMirror mirror = new CacheMirror();
      mirror.applyAll(other.events);
      long[] cached = other.engine.cachedBlockHashes();
      Arrays.sort(cached);
      assertThat(mirror.sortedBlocks()).isEqualTo(cached);
    }
  }

  @Nested
  class Ends {

    @Test
    void shouldForgetARequestWithinOneStepWhenItsClientCancels() {
      RecordingSink sink = fixture.send(request("a", prompt(1, 10), 7, 100));
      RecordingSink waiting = fixture.send(request("b", prompt(1, 10), 7, 100));
      fixture.simulation.runFor(60_000_000);
      int delivered = sink.tokens.size();

      sink.cancel();
      waiting.cancel();
      long steps = fixture.engine.stepCount();
      fixture.simulation.run();

      assertThat(delivered).isPositive();
      assertThat(sink.tokens).hasSize(delivered);
      assertThat(fixture.engine.stepCount()).isEqualTo(steps);
      assertThat(fixture.engine.runningCount() + fixture.engine.waitingCount()).isZero();
      assertThat(fixture.log).contains("finished a CANCELLED " + delivered);
    }

    @Test
    void shouldStopWhenNobodySeesTheFrames() {
      RecordingSink sink = fixture.send(request("a", prompt(1, 10), 7, 100));
      fixture.simulation.runFor(60_000_000);
      long generated = fixture.engine.generatedTokenCount();

      sink.disappear();
      fixture.simulation.run();

      assertThat(fixture.engine.generatedTokenCount()).isEqualTo(generated + 1);
    }

    @Test
    void shouldFailOpenRequestsWhenShutDown() {
      RecordingSink sink = fixture.send(request("a", prompt(1, 10), 7, 100));
      fixture.simulation.runFor(60_000_000);
      fixture.engine.shutdown();
      fixture.simulation.run();

      assertThat(sink.error)
          .isInstanceOfSatisfying(
              DynamoException.class,
              e -> assertThat(e.errorType()).isEqualTo(ErrorType.ENGINE_SHUTDOWN));
      assertThatThrownBy(() -> fixture.send(request("b", prompt(1, 10), 7, 1)))
          .isInstanceOf(DynamoException.class);
      assertThat(fixture.engine.runningCount()).isZero();
    }

    @Test
    void shouldServeOpenRequestsToTheirEndWhenItDrains() {
      RecordingSink sink = fixture.send(request("a", prompt(1, 10), 7, 30));
      fixture.simulation.runFor(60_000_000);
      fixture.engine.drain();

      assertThatThrownBy(() -> fixture.send(request("b", prompt(1, 10), 7, 1)))
          .isInstanceOfSatisfying(
              DynamoException.class,
              e -> assertThat(e.errorType()).isEqualTo(ErrorType.ENGINE_SHUTDOWN));
      fixture.simulation.run();
      assertThat(sink.tokens).hasSize(30);
    }

    @Test
    void shouldFallSilentWhenItCrashes() {
      RecordingSink sink = fixture.send(request("a", prompt(1, 10), 7, 100));
      fixture.simulation.runFor(60_000_000);
      int delivered = sink.tokens.size();
      int events = fixture.events.size();

      fixture.engine.crash();
      fixture.node.crash();
      fixture.simulation.run();

      assertThat(sink.tokens).hasSize(delivered);
      assertThat(sink.isOver()).isFalse();
      assertThat(fixture.events).hasSize(events);
    }
  }

  @Test
  void shouldPreemptTheYoungestAndLoseNothingWhenThePoolIsTooSmall() {
    EngineFixture tiny = new EngineFixture(smallConfig().capacityBlocks(8).build());
    RecordingSink first = tiny.send(request("a", prompt(1, 12), 7, 16));
    RecordingSink second = tiny.send(request("b", prompt(100, 12), 8, 16));
    tiny.simulation.run();

    assertThat(tiny.log).anyMatch(line -> line.startsWith("preempted b"));
    assertThat(tiny.log).noneMatch(line -> line.startsWith("preempted a"));
    assertThat(first.tokens).isEqualTo(fixture.serve(request("a", prompt(1, 12), 7, 16)).tokens);
    assertThat(second.tokens).isEqualTo(fixture.serve(request("b", prompt(100, 12), 8, 16)).tokens);
  }

  @Test
  void shouldTakeLessTimeWhenTheEngineIsFaster() {
    EngineFixture fast = new EngineFixture(smallConfig().speedFactor(4).build());
    fixture.serve(request("a", prompt(1, 12), 7, 16));
    fast.serve(request("a", prompt(1, 12), 7, 16));

    assertThat(fast.simulation.nowNanos() * 4)
        .isBetween(fixture.simulation.nowNanos() - 100, fixture.simulation.nowNanos() + 100);
  }

  @Test
  void shouldSplitALongPromptIntoChunksOfTheBudget() {
    fixture.serve(request("a", prompt(1, 200), 7, 1));

    assertThat(fixture.engine.stepCount()).isEqualTo(4);
  }

  @Test
  void shouldRunNoMoreRequestsThanThereAreSeats() {
    EngineFixture two = new EngineFixture(smallConfig().maxSequences(2).build());
    for (int i = 0; i < 5; i++) {
      two.send(request("r" + i, prompt(100 * i, 4), i, 8));
    }
    two.simulation.afterEachEvent(
        () -> assertThat(two.engine.runningCount()).isLessThanOrEqualTo(2));
    two.simulation.run();

    assertThat(two.engine.generatedTokenCount()).isEqualTo(40);
  }

  @Test
  void shouldRejectImpossibleConfigurations() {
    assertThatThrownBy(() -> MockEngineConfig.builder().blockSize(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("blockSize must be at least 1: blockSize=0");
    assertThatThrownBy(() -> MockEngineConfig.builder().speedFactor(Double.NaN))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("speedFactor=NaN");
  }
}
