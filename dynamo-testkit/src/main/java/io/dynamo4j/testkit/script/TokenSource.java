// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.script;

import io.dynamo4j.core.token.TokenSlice;

/**
 * What a scripted worker generates: the next token is a function of everything before it, so that a
 * continuation from a wrong context shows in every token after it.
 */
@FunctionalInterface
public interface TokenSource {

  /**
   * Returns the token that follows.
   *
   * @param prompt the request's tokens as the worker received them
   * @param generated what the worker has generated since
   */
  int next(TokenSlice prompt, TokenSlice generated);

  /**
   * Returns a source that mixes every token of the context, in order, whatever part of it was
   * prompt: tokens in {@code [0, 65536)}.
   */
  static TokenSource ofContext() {
    return (prompt, generated) -> {
      long state = 0x9e3779b97f4a7c15L;
      for (int i = 0; i < prompt.length(); i++) {
        state = mix(state + prompt.get(i));
      }
      for (int i = 0; i < generated.length(); i++) {
        state = mix(state + generated.get(i));
      }
      return (int) (state >>> 48);
    };
  }

  private static long mix(long value) {
    long z = (value ^ (value >>> 32)) * 0xd6e8feb86659fd93L;
    return z ^ (z >>> 29);
  }
}
