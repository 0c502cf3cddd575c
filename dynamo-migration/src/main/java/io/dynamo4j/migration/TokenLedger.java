// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.token.TokenAccumulator;
import io.dynamo4j.core.token.TokenSlice;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * What has been delivered of one request: which tokens, how many of each answer, which answers are
 * whole.
 *
 * <p>Delivered tokens are held only while {@link #isTracking()}, apart from the prompt, which the
 * request holds anyway; counts go on. Belongs to one lane.
 */
final class TokenLedger {
  private final RequestProfile profile;
  private final long[] deliveredByChoice;
  private final BitSet finishedChoices = new BitSet();
  private @Nullable TokenAccumulator tokens;
  private int finishedCount;
  private long delivered;
  private int lastToken;

  TokenLedger(RequestProfile profile) {
    this.profile = profile;
    this.deliveredByChoice = new long[profile.choices()];
  }

  /** Begins to hold the tokens that a continuation needs. */
  void startTracking() {
    tokens = TokenAccumulator.startingWith(TokenSlice.empty());
  }

  /** Gives the held tokens up; there will be no continuation. */
  void stopTracking() {
    tokens = null;
  }

  boolean isTracking() {
    return tokens != null;
  }

  /** Returns the length of prompt and answer together. */
  long sequenceLength() {
    return profile.tokens().length() + delivered;
  }

  long delivered() {
    return delivered;
  }

  /**
   * Returns prompt and delivered tokens, the prompt alone while nothing was delivered. Copies both,
   * which only a continuation pays for.
   *
   * @throws IllegalStateException if tokens were delivered untracked
   */
  TokenSlice sequence() {
    TokenSlice prompt = profile.tokens();
    if (delivered == 0) {
      return prompt;
    }
    if (tokens == null) {
      throw new IllegalStateException("delivered tokens were not tracked: delivered=" + delivered);
    }
    TokenSlice answer = tokens.snapshot();
    int[] all = new int[Math.addExact(prompt.length(), answer.length())];
    prompt.copyTo(0, all, 0, prompt.length());
    answer.copyTo(0, all, prompt.length(), answer.length());
    return TokenSlice.wrap(all);
  }

  boolean isKnown(int choice) {
    return choice >= 0 && choice < deliveredByChoice.length;
  }

  /** Returns how many of {@code count} further tokens the answer's budget has room for. */
  int room(int choice, int count) {
    if (profile.maxTokens() == StopConditions.UNSET) {
      return count;
    }
    return (int) Math.min(count, Math.max(0, profile.maxTokens() - deliveredByChoice[choice]));
  }

  /** Counts tokens and holds them while tracking. */
  void append(int choice, TokenSlice added) {
    if (added.isEmpty()) {
      return;
    }
    delivered += added.length();
    deliveredByChoice[choice] += added.length();
    lastToken = added.get(added.length() - 1);
    if (tokens != null) {
      tokens.append(added);
    }
  }

  void finish(int choice) {
    if (!finishedChoices.get(choice)) {
      finishedChoices.set(choice);
      finishedCount++;
    }
  }

  boolean isFinished(int choice) {
    return finishedChoices.get(choice);
  }

  /** Returns whether every answer has had its finish reason. */
  boolean isFinished() {
    return finishedCount == deliveredByChoice.length;
  }

  /** Returns whether the only answer has used its whole budget of tokens. */
  boolean isBudgetSpent() {
    return deliveredByChoice.length == 1
        && profile.maxTokens() != StopConditions.UNSET
        && delivered > 0
        && delivered >= profile.maxTokens();
  }

  /** Returns the finish reason that is missing from an answer which is whole, else null. */
  @Nullable FinishReason missingFinish() {
    if (isBudgetSpent()) {
      return FinishReason.LENGTH;
    }
    boolean stopped =
        deliveredByChoice.length == 1 && delivered > 0 && profile.endsWith(lastToken, delivered);
    return stopped ? FinishReason.STOP : null;
  }
}
