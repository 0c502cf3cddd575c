// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.text;

import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.token.TokenSlice;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** What a {@link TextStream} needs to know of a request. */
public final class TextOptions {
  private final String requestId;
  private final TokenSlice prompt;
  private final int choices;
  private final StopConditions stopConditions;
  private final SamplingOptions sampling;
  private final Map<String, String> annotations;

  private TextOptions(Builder builder) {
    this.requestId = builder.requestId;
    this.prompt = builder.prompt;
    this.choices = builder.choices;
    this.stopConditions = builder.stopConditions;
    this.sampling = builder.sampling;
    this.annotations = Collections.unmodifiableMap(new LinkedHashMap<>(builder.annotations));
  }

  /** Takes everything from a request. */
  public static TextOptions of(PreprocessedRequest request) {
    return builder(request.requestId(), request.tokenIds())
        .choices(request.samplingOptions().n())
        .stop(request.stopConditions(), request.samplingOptions())
        .build();
  }

  /**
   * Starts options.
   *
   * @param requestId the id that clients see
   * @param prompt the tokens before the answer
   */
  public static Builder builder(String requestId, TokenSlice prompt) {
    return new Builder(requestId, prompt);
  }

  public Builder toBuilder() {
    Builder builder = builder(requestId, prompt).choices(choices).stop(stopConditions, sampling);
    annotations.forEach(builder::annotation);
    return builder;
  }

  public String requestId() {
    return requestId;
  }

  public TokenSlice prompt() {
    return prompt;
  }

  /** Returns the number of answers asked for, at least 1. */
  public int choices() {
    return choices;
  }

  /** Returns what the client is to be told once, with the first output. */
  public Map<String, String> annotations() {
    return annotations;
  }

  StopMatcher newMatcher() {
    return StopMatcher.of(stopConditions, sampling);
  }

  /** Builds {@link TextOptions}: one answer, no stops, no annotations. */
  public static final class Builder {
    private final String requestId;
    private final TokenSlice prompt;
    private int choices = 1;
    private StopConditions stopConditions = StopConditions.ofDefaults();
    private SamplingOptions sampling = SamplingOptions.ofDefaults();
    private final Map<String, String> annotations = new LinkedHashMap<>();

    private Builder(String requestId, TokenSlice prompt) {
      this.requestId = Objects.requireNonNull(requestId, "requestId");
      this.prompt = Objects.requireNonNull(prompt, "prompt");
    }

    /**
     * Sets the number of answers.
     *
     * @throws IllegalArgumentException if not positive
     */
    public Builder choices(int choices) {
      if (choices < 1) {
        throw new IllegalArgumentException("choices must be positive: choices=" + choices);
      }
      this.choices = choices;
      return this;
    }

    /** Sets when an answer ends, and whether stop strings are part of it. */
    public Builder stop(StopConditions conditions, SamplingOptions sampling) {
      this.stopConditions = Objects.requireNonNull(conditions, "conditions");
      this.sampling = Objects.requireNonNull(sampling, "sampling");
      return this;
    }

    /** Adds something to tell the client once, however often the answer moves. */
    public Builder annotation(String event, String value) {
      annotations.put(
          Objects.requireNonNull(event, "event"), Objects.requireNonNull(value, "value"));
      return this;
    }

    public TextOptions build() {
      return new TextOptions(this);
    }
  }
}
