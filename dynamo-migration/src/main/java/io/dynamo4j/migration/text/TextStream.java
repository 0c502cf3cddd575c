// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.text;

import io.dynamo4j.core.model.CompletionUsage;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.migration.ReplayAdapter;
import io.dynamo4j.plane.ResponseStream;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The text of an answer, whichever and however many workers produce it: one detokenizer and one
 * matcher of stop conditions for each of its choices, from the first token to the last.
 *
 * <p>Every item brings one output. Where a stop is met the answer ends with {@code STOP} and the
 * stream below is cancelled, which reaches the worker. Text withheld for a stop string comes out as
 * soon as it is certain, with the finish reason at the latest. If the stream below fails or ends
 * without a finish reason, an output of its own brings the withheld text first, once the client has
 * asked for it; at a clean end with {@code STOP}.
 *
 * <p><b>Threads.</b> As {@link ResponseStream} says; signals come from the lane of the stream below
 * and, where that has ended already, from one lane of the environment.
 *
 * @param <R> item type
 */
public final class TextStream<R> implements ResponseStream<TextOutput<R>> {
  private final Builder<R> settings;
  private final ResponseStream<R> items;
  private final TextOptions options;

  private TextStream(Builder<R> settings, ResponseStream<R> items, TextOptions options) {
    this.settings = settings;
    this.items = Objects.requireNonNull(items, "items");
    this.options = Objects.requireNonNull(options, "options");
  }

  /**
   * Starts streams over Dynamo's own items.
   *
   * @param detokenizers makes the one detokenizer of each answer
   */
  public static Builder<LLMEngineOutput> overTokens(
      IncrementalDetokenizer.Factory detokenizers, Environment environment) {
    return overTokens(ReplayAdapter.preprocessed(), detokenizers, environment)
        .usage(LLMEngineOutput::usage);
  }

  /**
   * Starts streams over a host's own items.
   *
   * @param adapter shows the tokens of items
   * @param detokenizers makes the one detokenizer of each answer
   */
  public static <R> Builder<R> overTokens(
      ReplayAdapter<?, R> adapter,
      IncrementalDetokenizer.Factory detokenizers,
      Environment environment) {
    return new Builder<>(adapter, AnswerText.ofTokens(detokenizers), environment);
  }

  /**
   * Starts streams over items that have their text.
   *
   * @param adapter shows the tokens of the items behind
   */
  public static <R> Builder<TextItem<R>> overText(
      ReplayAdapter<?, R> adapter, Environment environment) {
    return new Builder<>(TextItem.adapter(adapter), AnswerText.ofTextItems(), environment);
  }

  @Override
  public void subscribe(Flow.Subscriber<? super TextOutput<R>> subscriber) {
    Objects.requireNonNull(subscriber, "subscriber");
    items.subscribe(new TextSubscription<>(settings, options, subscriber));
  }

  /** Makes streams of one kind. */
  public static final class Builder<R> {
    final ReplayAdapter<?, R> adapter;
    final AnswerText.Factory<R> texts;
    final Environment environment;
    Function<? super R, ? extends @Nullable CompletionUsage> usage = item -> null;

    private Builder(
        ReplayAdapter<?, R> adapter, AnswerText.Factory<R> texts, Environment environment) {
      this.adapter = Objects.requireNonNull(adapter, "adapter");
      this.texts = texts;
      this.environment = Objects.requireNonNull(environment, "environment");
    }

    /** Sets where an item tells what the answer has taken; by default no item does. */
    public Builder<R> usage(Function<? super R, ? extends @Nullable CompletionUsage> usage) {
      this.usage = Objects.requireNonNull(usage, "usage");
      return this;
    }

    /** Returns the text of an answer; nothing happens before it is subscribed to. */
    public TextStream<R> over(ResponseStream<R> items, PreprocessedRequest request) {
      return over(items, TextOptions.of(request));
    }

    /** Returns the text of an answer; nothing happens before it is subscribed to. */
    public TextStream<R> over(ResponseStream<R> items, TextOptions options) {
      return new TextStream<>(this, items, options);
    }
  }
}
