// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.text;

import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;

/**
 * Finds where an answer ends: at a stop token, or where a stop string is complete.
 *
 * <p>One matcher sees the whole answer, so that a stop string is found wherever the answer was
 * broken. A hidden string is no part of the answer: text that may be the beginning of one is
 * withheld until it is certain. A visible one is, and nothing is withheld for it. While fewer than
 * the least number of tokens have come, the last one included, no stop has effect.
 *
 * <p>The answer ends at the first character that completes a stop string; if it completes several,
 * the longest counts, hidden before visible. Text after that is dropped.
 *
 * <p><b>Threads.</b> One at a time. Cost: O(text · stop strings · their length) at worst.
 */
public final class StopMatcher {
  private final List<String> hidden;
  private final List<String> visible;
  private final TreeSet<Integer> hiddenTokens;
  private final TreeSet<Integer> visibleTokens;
  private final long minTokens;
  private final int longest;

  /** The end of the text that came out, for visible strings, then what is withheld. */
  private final StringBuilder text = new StringBuilder();

  private int released;
  private long tokens;
  private boolean stopped;

  private StopMatcher(Builder builder) {
    this.hidden = List.copyOf(builder.hidden);
    this.visible = List.copyOf(builder.visible);
    this.hiddenTokens = new TreeSet<>(builder.hiddenTokens);
    this.visibleTokens = new TreeSet<>(builder.visibleTokens);
    this.minTokens = builder.minTokens;
    this.longest =
        Math.max(
            hidden.stream().mapToInt(String::length).max().orElse(0),
            visible.stream().mapToInt(String::length).max().orElse(0));
  }

  /** Returns a matcher of a request's own conditions. */
  public static StopMatcher of(StopConditions conditions, SamplingOptions sampling) {
    Builder builder = builder().minTokens(Math.max(0, conditions.minTokens()));
    if (conditions.ignoreEos()) {
      return builder.build();
    }
    for (String string : conditions.stop()) {
      if (sampling.includeStopInOutput()) {
        builder.visible(string);
      } else {
        builder.hidden(string);
      }
    }
    conditions.stopTokenIds().forEach(builder::hiddenToken);
    conditions.visibleStopTokenIds().forEach(builder::visibleToken);
    return builder.build();
  }

  public static Builder builder() {
    return new Builder();
  }

  /**
   * Takes the next token of the answer.
   *
   * @param added its text, perhaps empty
   * @return the text that comes out now; all that is to come if the answer {@link #isStopped()}
   * @throws IllegalStateException if the answer has stopped
   */
  public String append(int token, String added) {
    if (stopped) {
      throw new IllegalStateException("answer has stopped");
    }
    tokens++;
    boolean effective = tokens >= minTokens;
    if (effective && hiddenTokens.contains(token)) {
      stopped = true;
      return flush();
    }
    int from = text.length();
    text.append(added);
    if (effective) {
      for (int end = from + 1; end <= text.length(); end++) {
        if (endsWithAny(hidden, end)) {
          return stopAt(end - longestMatch(hidden, end));
        }
        if (endsWithAny(visible, end)) {
          return stopAt(end);
        }
      }
      if (visibleTokens.contains(token)) {
        return stopAt(text.length());
      }
    }
    return release(text.length() - withheldLength());
  }

  /** Lets go of what is withheld: the answer ends for another reason. */
  public String flush() {
    return release(text.length());
  }

  /** Returns the text that may be the beginning of a hidden stop string. */
  public String withheld() {
    return text.substring(released);
  }

  /** Returns whether the answer has met its end. */
  public boolean isStopped() {
    return stopped;
  }

  /** Returns how much text is kept, withheld or only to be searched. */
  int heldChars() {
    return text.length();
  }

  private String stopAt(int end) {
    stopped = true;
    String rest = end > released ? text.substring(released, end) : "";
    text.setLength(0);
    released = 0;
    return rest;
  }

  private String release(int end) {
    String out = text.substring(released, end);
    released = end;
    int useless = Math.min(released, text.length() - longest);
    if (useless > longest) {
      text.delete(0, useless);
      released -= useless;
    }
    return out;
  }

  /** Returns the length of the longest end of the text that begins a hidden string. */
  private int withheldLength() {
    int withheld = 0;
    for (String string : hidden) {
      int length = Math.min(string.length() - 1, text.length() - released);
      while (length > withheld && !endsWith(string, length, text.length())) {
        length--;
      }
      withheld = Math.max(withheld, length);
    }
    return withheld;
  }

  private boolean endsWithAny(List<String> strings, int end) {
    return longestMatch(strings, end) > 0;
  }

  private int longestMatch(List<String> strings, int end) {
    int best = 0;
    for (String string : strings) {
      if (string.length() > best && endsWith(string, string.length(), end)) {
        best = string.length();
      }
    }
    return best;
  }

  /** Returns whether the text up to {@code end} ends with the first characters of a string. */
  private boolean endsWith(String string, int length, int end) {
    if (length > end) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (text.charAt(end - length + i) != string.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Builds a {@link StopMatcher} that never stops. */
  public static final class Builder {
    private final List<String> hidden = new ArrayList<>();
    private final List<String> visible = new ArrayList<>();
    private final List<Integer> hiddenTokens = new ArrayList<>();
    private final List<Integer> visibleTokens = new ArrayList<>();
    private long minTokens;

    private Builder() {}

    /** Adds a string that ends the answer and is no part of it; an empty one has no effect. */
    public Builder hidden(String string) {
      return add(hidden, string);
    }

    /** Adds a string that ends the answer and is part of it; an empty one has no effect. */
    public Builder visible(String string) {
      return add(visible, string);
    }

    private Builder add(List<String> list, String string) {
      if (!Objects.requireNonNull(string, "string").isEmpty()) {
        list.add(string);
      }
      return this;
    }

    /** Adds a token that ends the answer and whose text is no part of it. */
    public Builder hiddenToken(int token) {
      hiddenTokens.add(token);
      return this;
    }

    /** Adds a token that ends the answer and whose text is part of it. */
    public Builder visibleToken(int token) {
      visibleTokens.add(token);
      return this;
    }

    /**
     * Sets how many tokens there must be before a stop has effect.
     *
     * @throws IllegalArgumentException if negative
     */
    public Builder minTokens(long tokens) {
      if (tokens < 0) {
        throw new IllegalArgumentException("minTokens must not be negative: minTokens=" + tokens);
      }
      this.minTokens = tokens;
      return this;
    }

    public StopMatcher build() {
      return new StopMatcher(this);
    }
  }
}
