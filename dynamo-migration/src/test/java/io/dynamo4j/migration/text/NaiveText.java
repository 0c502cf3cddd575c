// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.text;

import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.token.TokenSlice;
import java.util.Arrays;

/**
 * The answer that tokens make, found by decoding everything after every token and searching it from
 * its beginning.
 *
 * @param text all that a client is to see
 * @param tokens how many tokens are part of the answer
 * @param stopped whether a stop ended it
 */
record NaiveText(String text, int tokens, boolean stopped) {

  /** Reads an answer that ends after its last token, or is lost there if {@code lost}. */
  static NaiveText of(int[] tokens, StopConditions stop, boolean visible, boolean lost) {
    String certain = "";
    for (int count = 1; count <= tokens.length; count++) {
      int token = tokens[count - 1];
      boolean effective = !stop.ignoreEos() && count >= Math.max(0, stop.minTokens());
      if (effective && stop.stopTokenIds().contains(token)) {
        return new NaiveText(certain, count, true);
      }
      String all = ByteTokens.decode(TokenSlice.wrap(Arrays.copyOf(tokens, count)));
      String now = all.endsWith("\uFFFD") ? certain : all;
      for (int end = certain.length() + 1; effective && end <= now.length(); end++) {
        int match = longestMatch(now.substring(0, end), stop);
        if (match > 0) {
          return new NaiveText(now.substring(0, visible ? end : end - match), count, true);
        }
      }
      certain = now;
      if (effective && stop.visibleStopTokenIds().contains(token)) {
        return new NaiveText(certain, count, true);
      }
    }
    String whole = ByteTokens.decode(TokenSlice.wrap(tokens));
    return new NaiveText(lost ? certain : whole, tokens.length, false);
  }

  private static int longestMatch(String text, StopConditions stop) {
    int longest = 0;
    for (String string : stop.stop()) {
      if (text.endsWith(string)) {
        longest = Math.max(longest, string.length());
      }
    }
    return longest;
  }
}
