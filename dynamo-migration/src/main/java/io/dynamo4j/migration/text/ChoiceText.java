// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.text;

import io.dynamo4j.core.token.TokenSlice;

/** One answer on its way to text. Belongs to the stream's lane. */
final class ChoiceText<R> {
  private final int index;
  private final AnswerText<R> text;
  private final StopMatcher matcher;
  private int readTokens;
  private boolean begun;
  private boolean ended;

  ChoiceText(int index, AnswerText<R> text, StopMatcher matcher) {
    this.index = index;
    this.text = text;
    this.matcher = matcher;
  }

  int index() {
    return index;
  }

  /** Returns whether the client has had this answer's end. */
  boolean isEnded() {
    return ended;
  }

  /** Returns whether a stop condition was met. */
  boolean isStopped() {
    return matcher.isStopped();
  }

  /** Returns true the first time. */
  boolean begin() {
    boolean first = !begun;
    begun = true;
    return first;
  }

  /** Reads an item's tokens up to the answer's end and returns the text that comes out. */
  String read(R item, TokenSlice tokens) {
    readTokens = 0;
    if (ended || tokens.isEmpty()) {
      return "";
    }
    String first = next(item, tokens);
    if (readTokens == tokens.length() || matcher.isStopped()) {
      return first;
    }
    StringBuilder all = new StringBuilder(first);
    while (readTokens < tokens.length() && !matcher.isStopped()) {
      all.append(next(item, tokens));
    }
    return all.toString();
  }

  private String next(R item, TokenSlice tokens) {
    int token = tokens.get(readTokens);
    return matcher.append(token, text.append(item, readTokens++, token));
  }

  /** Returns how many tokens of the last item are part of the answer. */
  int readTokens() {
    return readTokens;
  }

  /** Ends the answer and returns what still comes out. */
  String end() {
    ended = true;
    return matcher.isStopped() ? "" : matcher.flush() + text.pending();
  }

  /** Returns text that is withheld from an answer that has no end; half a character is no text. */
  String withheld() {
    return matcher.withheld();
  }
}
