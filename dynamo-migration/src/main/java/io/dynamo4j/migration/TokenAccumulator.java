// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.token.TokenSlice;
import java.util.Arrays;

/** Append-only tokens whose snapshots share the growing array. */
final class TokenAccumulator {
  private int[] tokens;
  private int length;

  private TokenAccumulator(int[] tokens, int length) {
    this.tokens = tokens;
    this.length = length;
  }

  static TokenAccumulator startingWith(TokenSlice prompt) {
    return new TokenAccumulator(prompt.toArray(), prompt.length());
  }

  void append(TokenSlice added) {
    int newLength = length + added.length();
    if (newLength > tokens.length) {
      tokens = Arrays.copyOf(tokens, Math.max(newLength, tokens.length + (tokens.length >> 1)));
    }
    added.copyTo(0, tokens, length, added.length());
    length = newLength;
  }

  TokenSlice snapshot() {
    return TokenSlice.wrap(tokens, 0, length);
  }
}
