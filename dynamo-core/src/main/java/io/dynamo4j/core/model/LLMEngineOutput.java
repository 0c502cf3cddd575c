// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

import io.dynamo4j.core.token.TokenSlice;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One item of a worker's answer: some tokens, perhaps the end.
 *
 * <p>The last item may carry tokens and the finish reason together or the reason alone; both occur.
 */
public final class LLMEngineOutput {
  private final TokenSlice tokenIds;
  private final @Nullable String text;
  private final @Nullable FinishReason finishReason;
  private final int index;
  private final @Nullable Details details;

  private LLMEngineOutput(
      TokenSlice tokenIds,
      @Nullable String text,
      @Nullable FinishReason finishReason,
      int index,
      @Nullable Details details) {
    this.tokenIds = Objects.requireNonNull(tokenIds, "tokenIds");
    this.text = text;
    this.finishReason = finishReason;
    this.index = index;
    this.details = details;
  }

  /** Tokens of choice 0, more to come. */
  public static LLMEngineOutput of(TokenSlice tokenIds) {
    return new LLMEngineOutput(tokenIds, null, null, 0, null);
  }

  /** Tokens of choice 0, perhaps none, and the end. */
  public static LLMEngineOutput last(TokenSlice tokenIds, FinishReason finishReason) {
    return new LLMEngineOutput(tokenIds, null, Objects.requireNonNull(finishReason), 0, null);
  }

  public LLMEngineOutput withText(String text) {
    return new LLMEngineOutput(
        tokenIds, Objects.requireNonNull(text), finishReason, index, details);
  }

  public LLMEngineOutput withIndex(int index) {
    return new LLMEngineOutput(tokenIds, text, finishReason, index, details);
  }

  /** Adds what the answer has taken so far. */
  public LLMEngineOutput withUsage(CompletionUsage usage) {
    return with(details().withUsage(Objects.requireNonNull(usage, "usage")));
  }

  /**
   * Adds log-probabilities.
   *
   * @param cumulative their sum over the answer so far, NaN if the worker does not report it
   * @param each one a token of this item, or empty
   * @throws IllegalArgumentException if {@code each} is neither empty nor as long as the tokens
   */
  public LLMEngineOutput withLogProbs(double cumulative, double... each) {
    if (each.length != 0 && each.length != tokenIds.length()) {
      throw new IllegalArgumentException(
          "log-probabilities must be one a token: tokens="
              + tokenIds.length()
              + ", logProbs="
              + each.length);
    }
    return with(details().withLogProbs(cumulative, each.clone()));
  }

  /**
   * Adds what a prefill worker hands to the decode worker: maps by text, lists, texts, booleans,
   * {@code Long}s and {@code Double}s, which must not change any more.
   */
  public LLMEngineOutput withDisaggregatedParams(Object params) {
    return with(details().withDisaggregatedParams(Objects.requireNonNull(params, "params")));
  }

  /** Adds an annotation: something about the request that is no part of the answer. */
  public LLMEngineOutput withAnnotation(String event, String value) {
    Objects.requireNonNull(event, "event");
    return with(details().withAnnotation(event, Objects.requireNonNull(value, "value")));
  }

  /**
   * Ends the answer within this item: the first {@code kept} tokens stay with what belongs to them,
   * the text goes.
   */
  public LLMEngineOutput cut(int kept, FinishReason reason) {
    Details rest = details == null ? null : details.cut(kept);
    return new LLMEngineOutput(
        tokenIds.slice(0, kept), null, Objects.requireNonNull(reason, "reason"), index, rest);
  }

  private LLMEngineOutput with(Details changed) {
    return new LLMEngineOutput(tokenIds, text, finishReason, index, changed);
  }

  private Details details() {
    return details == null ? Details.NONE : details;
  }

  public TokenSlice tokenIds() {
    return tokenIds;
  }

  /** Returns the text of these tokens where the worker or a detokenizer made it, else null. */
  public @Nullable String text() {
    return text;
  }

  /** Returns why the engine stopped, or null while it goes on. */
  public @Nullable FinishReason finishReason() {
    return finishReason;
  }

  /** Returns the choice that this item belongs to, from 0. */
  public int index() {
    return index;
  }

  /** Returns what the answer has taken so far, or null if the item does not tell. */
  public @Nullable CompletionUsage usage() {
    return details().usage;
  }

  /** Returns the log-probability of each token, a copy; empty if the item does not tell. */
  public double[] logProbs() {
    return details().logProbs.clone();
  }

  /** Returns the sum of the answer's log-probabilities so far, NaN if the item does not tell. */
  public double cumLogProbs() {
    return details().cumLogProbs;
  }

  /** Returns the name of the annotation that this item carries, or null. */
  public @Nullable String annotationEvent() {
    return details().event;
  }

  /** Returns the annotation's value, or null. */
  public @Nullable String annotationValue() {
    return details().value;
  }

  /** Returns what a prefill worker hands to the decode worker, or null. Nobody here reads it. */
  public @Nullable Object disaggregatedParams() {
    return details().disaggregatedParams;
  }

  /** What few items carry. */
  private static final class Details {
    static final Details NONE = new Details(null, Double.NaN, new double[0], null, null, null);

    final @Nullable CompletionUsage usage;
    final double cumLogProbs;
    final double[] logProbs;
    final @Nullable String event;
    final @Nullable String value;
    final @Nullable Object disaggregatedParams;

    Details(
        @Nullable CompletionUsage usage,
        double cumLogProbs,
        double[] logProbs,
        @Nullable String event,
        @Nullable String value,
        @Nullable Object disaggregatedParams) {
      this.usage = usage;
      this.cumLogProbs = cumLogProbs;
      this.logProbs = logProbs;
      this.event = event;
      this.value = value;
      this.disaggregatedParams = disaggregatedParams;
    }

    Details withUsage(CompletionUsage changed) {
      return new Details(changed, cumLogProbs, logProbs, event, value, disaggregatedParams);
    }

    Details withLogProbs(double cumulative, double[] each) {
      return new Details(usage, cumulative, each, event, value, disaggregatedParams);
    }

    Details withAnnotation(String name, String text) {
      return new Details(usage, cumLogProbs, logProbs, name, text, disaggregatedParams);
    }

    Details withDisaggregatedParams(Object params) {
      return new Details(usage, cumLogProbs, logProbs, event, value, params);
    }

    /** What was summed over cut tokens says nothing about the rest. */
    Details cut(int kept) {
      double[] rest = logProbs.length == 0 ? logProbs : Arrays.copyOf(logProbs, kept);
      double cumulative = cumLogProbs;
      for (int i = rest.length; i < logProbs.length; i++) {
        cumulative -= logProbs[i];
      }
      return new Details(
          null,
          logProbs.length == 0 ? Double.NaN : cumulative,
          rest,
          event,
          value,
          disaggregatedParams);
    }
  }
}
