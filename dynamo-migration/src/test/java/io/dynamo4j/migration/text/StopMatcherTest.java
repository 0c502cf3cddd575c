// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StopMatcherTest {
  private static final int ANSWERS = 4_000;

  /** What an answer's tokens are put through. */
  interface Reader {
    NaiveText read(int[] tokens, StopConditions stop, boolean visible);
  }

  /** Matchers that are wrong in ways that have occurred. */
  enum Broken implements Reader {
    FORGETS_AT_A_BREAK {
      @Override
      public NaiveText read(int[] tokens, StopConditions stop, boolean visible) {
        int cut = tokens.length / 2;
        return StopMatcherTest.read(tokens, cut, stop, visible);
      }
    },
    LOSES_WITHHELD_TEXT {
      @Override
      public NaiveText read(int[] tokens, StopConditions stop, boolean visible) {
        StopMatcher matcher = matcher(stop, visible);
        StringBuilder text = new StringBuilder();
        int count = 0;
        while (count < tokens.length && !matcher.isStopped()) {
          text.append(matcher.append(tokens[count], character(tokens[count++])));
        }
        return new NaiveText(text.toString(), count, matcher.isStopped());
      }
    },
    IGNORES_THE_MINIMUM {
      @Override
      public NaiveText read(int[] tokens, StopConditions stop, boolean visible) {
        return StopMatcherTest.read(
            tokens, -1, stop.toBuilder().minTokens(StopConditions.UNSET).build(), visible);
      }
    },
    SHOWS_HIDDEN_STRINGS {
      @Override
      public NaiveText read(int[] tokens, StopConditions stop, boolean visible) {
        return StopMatcherTest.read(tokens, -1, stop, true);
      }
    }
  }

  private static StopMatcher matcher(StopConditions stop, boolean visible) {
    return StopMatcher.of(stop, SamplingOptions.builder().includeStopInOutput(visible).build());
  }

  private static String character(int token) {
    return token < 256 ? String.valueOf((char) token) : "";
  }

  /** Reads with a matcher that begins anew at a cut, if there is one. */
  private static NaiveText read(int[] tokens, int cut, StopConditions stop, boolean visible) {
    StopMatcher matcher = matcher(stop, visible);
    StringBuilder text = new StringBuilder();
    int count = 0;
    while (count < tokens.length && !matcher.isStopped()) {
      if (count == cut) {
        text.append(matcher.flush());
        matcher = matcher(stop, visible);
      }
      text.append(matcher.append(tokens[count], character(tokens[count++])));
    }
    if (!matcher.isStopped()) {
      text.append(matcher.flush());
    }
    return new NaiveText(text.toString(), count, matcher.isStopped());
  }

  /** Returns the seed of the first random answer that is read otherwise than the naive way. */
  private static long firstMistake(Reader reader) {
    for (long seed = 1; seed <= ANSWERS; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int[] tokens = random.ints(random.nextInt(12), 'a', 'd').toArray();
      if (tokens.length > 0 && random.nextInt(4) == 0) {
        tokens[random.nextInt(tokens.length)] = ByteTokens.EOS;
      }
      StopConditions stop = stop(random);
      boolean visible = random.nextBoolean();
      NaiveText expected = NaiveText.of(tokens, stop, visible, false);
      if (!expected.equals(reader.read(tokens, stop, visible))) {
        return seed;
      }
    }
    return 0;
  }

  static StopConditions stop(SplittableRandom random) {
    List<String> strings = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      StringBuilder string = new StringBuilder();
      for (int length = 1 + random.nextInt(4); length > 0; length--) {
        string.append((char) ('a' + random.nextInt(3)));
      }
      strings.add(string.toString());
    }
    return StopConditions.builder()
        .stop(strings)
        .stopTokenIds(random.nextBoolean() ? List.of(ByteTokens.EOS) : List.of())
        .visibleStopTokenIds(random.nextInt(4) == 0 ? List.of((int) 'c') : List.of())
        .minTokens(random.nextBoolean() ? StopConditions.UNSET : random.nextInt(6))
        .ignoreEos(random.nextInt(10) == 0)
        .build();
  }

  @Test
  void shouldReadAnswersAsAScanOfTheWholeTextDoes() {
    assertThat(firstMistake((tokens, stop, visible) -> read(tokens, -1, stop, visible)))
        .as("seed")
        .isZero();
  }

  @ParameterizedTest
  @EnumSource
  void shouldBeFoundOutWhenBroken(Broken broken) {
    assertThat(firstMistake(broken)).isPositive();
  }

  @Test
  void shouldWithholdOnlyWhatMayBecomeAHiddenString() {
    for (long seed = 1; seed <= ANSWERS; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      StopConditions stop = stop(random);
      StopMatcher matcher = matcher(stop, false);
      StringBuilder all = new StringBuilder();
      StringBuilder out = new StringBuilder();
      for (int i = 0; i < 12 && !matcher.isStopped(); i++) {
        int token = 'a' + random.nextInt(3);
        all.append(character(token));
        out.append(matcher.append(token, character(token)));
        String withheld = matcher.withheld();
        if (!matcher.isStopped()) {
          assertThat(out + withheld).as("seed=%s", seed).isEqualTo(all.toString());
        }
        assertThat(withheld.isEmpty() || stop.stop().stream().anyMatch(s -> s.startsWith(withheld)))
            .as("seed=%s", seed)
            .isTrue();
      }
    }
  }

  @Test
  void shouldReleaseTextThatTurnsOutHarmless() {
    StopMatcher matcher = StopMatcher.builder().hidden("ozzy").build();

    assertThat(matcher.append(1, "o")).isEmpty();
    assertThat(matcher.append(2, "there")).isEqualTo("othere");
    assertThat(matcher.append(3, "oz")).isEmpty();
    assertThat(matcher.append(4, "zy")).isEmpty();
    assertThat(matcher.isStopped()).isTrue();
  }

  @Test
  void shouldKeepLittleOfALongAnswer() {
    StopMatcher matcher = StopMatcher.builder().visible("xyz").hidden("q!").build();

    int released = 0;
    for (int i = 0; i < 100_000; i++) {
      released += matcher.append(1, "some more text ").length();
    }

    assertThat(released).isEqualTo(1_500_000);
    assertThat(matcher.heldChars()).isLessThan(100);
  }

  @Test
  void shouldRefuseTokensAfterTheEnd() {
    StopMatcher matcher = StopMatcher.builder().visibleToken(7).build();

    assertThat(matcher.append(7, "end")).isEqualTo("end");
    assertThatThrownBy(() -> matcher.append(8, "more")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> StopMatcher.builder().minTokens(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("minTokens=-1");
  }

  @Test
  void shouldIgnoreEmptyStrings() {
    StopMatcher matcher = StopMatcher.builder().hidden("").visible("").build();

    assertThat(matcher.append(1, "a")).isEqualTo("a");
    assertThat(matcher.isStopped()).isFalse();
  }
}
