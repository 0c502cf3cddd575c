// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.token.TokenSlice;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class TokenFunctionTest {

  @Test
  void shouldKeepItsDefinition() {
    long h = TokenFunction.takeAll(TokenFunction.start(3), TokenSlice.of(1, 2, -1));

    // mix(3) = 3 * 0xd6e8feb86659fd93 mod 2^64
    long expected = 0x84bafc29330df8b9L;
    for (long token : new long[] {1, 2, 0xffffffffL}) {
      long z = expected + 0x9e3779b97f4a7c15L * (token + 1);
      expected = (z ^ (z >>> 32)) * 0xd6e8feb86659fd93L;
    }
    assertThat(h).isEqualTo(expected);
    assertThat(TokenFunction.next(h)).isEqualTo((int) (expected >>> 48));
  }

  @Test
  void shouldSpreadTokensEvenly() {
    int[] buckets = new int[64];
    long h = TokenFunction.start(1);
    for (int i = 0; i < 64_000; i++) {
      int token = TokenFunction.next(h);
      buckets[token >>> 10]++;
      h = TokenFunction.take(h, token);
    }
    assertThat(Arrays.stream(buckets).boxed()).allMatch(count -> count > 800 && count < 1200);
  }

  @Test
  void shouldEndAnswersAboutAsOftenAsAsked() {
    long h = TokenFunction.start(2);
    int ends = 0;
    for (int i = 0; i < 100_000; i++) {
      h = TokenFunction.take(h, TokenFunction.next(h));
      ends += TokenFunction.endsAt(h, 50) ? 1 : 0;
    }
    assertThat(ends).isBetween(1_700, 2_300);
  }

  @Test
  void shouldDifferSoonAfterAnySingleChangeOfTheContext() {
    RandomSource random = RandomSource.seeded(3);
    int agreements = 0;
    for (int round = 0; round < 2_000; round++) {
      int[] context = random.nextInt(2) == 0 ? new int[8] : new int[9];
      for (int i = 0; i < context.length; i++) {
        context[i] = random.nextInt(1 << 16);
      }
      int[] changed = context.clone();
      changed[random.nextInt(changed.length)] ^= 1 << random.nextInt(16);
      long h = TokenFunction.takeAll(TokenFunction.start(5), TokenSlice.wrap(context));
      long other = TokenFunction.takeAll(TokenFunction.start(5), TokenSlice.wrap(changed));
      assertThat(h).isNotEqualTo(other);
      agreements += TokenFunction.next(h) == TokenFunction.next(other) ? 1 : 0;
    }
    // By chance one in 65,536.
    assertThat(agreements).isLessThan(4);
  }
}
