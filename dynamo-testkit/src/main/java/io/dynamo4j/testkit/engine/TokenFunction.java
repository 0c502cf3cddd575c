// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.engine;

import io.dynamo4j.core.token.TokenSlice;

/**
 * The tokens that a mock engine generates: a function of the request's seed and of every token
 * before, in order.
 *
 * <p>A state {@code h} of 64 bits starts as {@code mix(seed)} and takes each token {@code t}, read
 * as an unsigned number, by {@code h = mix(h + C·(t + 1))}. The next token is the top 16 bits of
 * {@code h}, which then takes that token in the same way. {@code mix(z) = (z ^ (z >>> 32))·M}; the
 * constants are below, arithmetic is modulo 2^64. An engine learns nothing of migration: a
 * continuation is one list of tokens, and any missing, repeated, swapped or altered token in it
 * changes all that follow, by chance alike with a probability of 2^-16 a token.
 *
 * <p>{@code mix} is a bijection, so two contexts of one length that differ in one token never meet
 * again. One multiplication keeps a token of prompt at about 2 ns: the chain is serial.
 */
final class TokenFunction {
  private static final long TOKEN_FACTOR = 0x9e3779b97f4a7c15L;
  private static final long MIX_FACTOR = 0xd6e8feb86659fd93L;

  private TokenFunction() {}

  static long start(long seed) {
    return mix(seed);
  }

  static long take(long state, int token) {
    return mix(state + TOKEN_FACTOR * ((token & 0xffffffffL) + 1));
  }

  static long takeAll(long state, TokenSlice tokens) {
    int[] array = tokens.backingArray();
    int end = tokens.backingOffset() + tokens.length();
    long h = state;
    for (int i = tokens.backingOffset(); i < end; i++) {
      h = take(h, array[i]);
    }
    return h;
  }

  static int next(long state) {
    return (int) (state >>> 48);
  }

  /**
   * Returns whether the token that led to {@code state} is the answer's last: true once in {@code
   * interval} tokens, from bits that {@link #next} does not use.
   */
  static boolean endsAt(long state, int interval) {
    return ((state >>> 16 & 0xffffffffL) * interval) >>> 32 == 0;
  }

  private static long mix(long z) {
    return (z ^ (z >>> 32)) * MIX_FACTOR;
  }
}
