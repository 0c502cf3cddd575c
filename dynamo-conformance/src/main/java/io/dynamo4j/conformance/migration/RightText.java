// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.token.TokenSlice;
import java.util.ArrayList;
import java.util.List;

/** The right text of one answer: everything decoded at once and searched from the beginning. */
final class RightText {
  private final StopConditions stop;
  private final boolean visible;
  private final List<Integer> tokens = new ArrayList<>();
  private String certain = "";
  private int beforeLeg;
  private boolean stopped;
  private boolean crossed;

  RightText(StopConditions stop, SamplingOptions sampling) {
    this.stop = stop;
    this.visible = sampling.includeStopInOutput();
  }

  void legBegins() {
    beforeLeg = certain.length();
  }

  /** Takes a token; returns whether text came with it that no later one can change. */
  boolean add(int token) {
    tokens.add(token);
    boolean effective = !stop.ignoreEos() && tokens.size() >= Math.max(0, stop.minTokens());
    if (effective && stop.stopTokenIds().contains(token)) {
      stopped = true;
      return false;
    }
    int before = certain.length();
    String all = decoded();
    certain = all.endsWith("\uFFFD") ? certain : all;
    for (int end = before + 1; effective && !stopped && end <= certain.length(); end++) {
      int match = longestMatch(end);
      if (match > 0) {
        stopped = true;
        crossed = visible && end - match < beforeLeg;
        certain = certain.substring(0, visible ? end : end - match);
      }
    }
    stopped |= effective && stop.visibleStopTokenIds().contains(token);
    return certain.length() > before;
  }

  private int longestMatch(int end) {
    int longest = 0;
    for (String string : stop.stop()) {
      if (!string.isEmpty() && certain.substring(0, end).endsWith(string)) {
        longest = Math.max(longest, string.length());
      }
    }
    return longest;
  }

  private String decoded() {
    return Tokenizer.decode(TokenSlice.wrap(tokens.stream().mapToInt(Integer::intValue).toArray()));
  }

  boolean isStopped() {
    return stopped;
  }

  /** Returns whether the visible stop string that was found began in an earlier leg. */
  boolean isCrossed() {
    return crossed;
  }

  /** Returns whether the text ends with what may become a hidden stop string. */
  boolean withholds() {
    return withheld() > 0;
  }

  /** Returns how much text a client has got. */
  int shown() {
    return certain.length() - withheld();
  }

  private int withheld() {
    if (visible || stop.ignoreEos() || stopped) {
      return 0;
    }
    int withheld = 0;
    for (String string : stop.stop()) {
      for (int length = 1; length < string.length(); length++) {
        if (certain.endsWith(string.substring(0, length))) {
          withheld = Math.max(withheld, length);
        }
      }
    }
    return withheld;
  }

  /** Returns the text of an answer that goes on or was lost. */
  String soFar() {
    return certain;
  }

  /** Returns the text of an answer that has ended. */
  String whole() {
    return stopped ? certain : decoded();
  }
}
