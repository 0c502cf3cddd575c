// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

import io.dynamo4j.core.token.TokenSlice;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * A request as workers take it: token ids and options, after templates and tokenisation.
 *
 * <p>Immutable; a continuation is a new request with the same id.
 */
public final class PreprocessedRequest {
  private final String requestId;
  private final String model;
  private final TokenSlice tokenIds;
  private final StopConditions stopConditions;
  private final SamplingOptions samplingOptions;
  private final RoutingHints routing;
  private final Map<String, Object> extensions;

  private PreprocessedRequest(Builder builder) {
    this.requestId = Objects.requireNonNull(builder.requestId, "requestId");
    this.model = Objects.requireNonNull(builder.model, "model");
    this.tokenIds = Objects.requireNonNull(builder.tokenIds, "tokenIds");
    this.stopConditions = Objects.requireNonNull(builder.stopConditions, "stopConditions");
    this.samplingOptions = Objects.requireNonNull(builder.samplingOptions, "samplingOptions");
    this.routing = Objects.requireNonNull(builder.routing, "routing");
    this.extensions = builder.extensions;
  }

  /**
   * Starts a request.
   *
   * @param requestId one id over all attempts; travels beside the request, not in it
   * @param tokenIds the prompt
   */
  public static Builder builder(String requestId, TokenSlice tokenIds) {
    Builder builder = new Builder();
    builder.requestId = requestId;
    builder.tokenIds = tokenIds;
    return builder;
  }

  public Builder toBuilder() {
    Builder builder = builder(requestId, tokenIds);
    builder.model = model;
    builder.stopConditions = stopConditions;
    builder.samplingOptions = samplingOptions;
    builder.routing = routing;
    builder.extensions = extensions;
    return builder;
  }

  public String requestId() {
    return requestId;
  }

  /** Returns the model name, empty where the caller named none. */
  public String model() {
    return model;
  }

  public TokenSlice tokenIds() {
    return tokenIds;
  }

  public StopConditions stopConditions() {
    return stopConditions;
  }

  public SamplingOptions samplingOptions() {
    return samplingOptions;
  }

  public RoutingHints routing() {
    return routing;
  }

  /**
   * Returns what else travels to the worker, by the names that peers use: output options,
   * penalties, annotations, media and whatever else this library carries without reading it.
   * Objects are maps; unmodifiable, in the order given.
   */
  public Map<String, Object> extensions() {
    return extensions;
  }

  /** Tells id, model and length: prompts are never logged. */
  @Override
  public String toString() {
    return "PreprocessedRequest[requestId="
        + SafeText.of(requestId)
        + ", model="
        + SafeText.of(model)
        + ", tokens="
        + tokenIds.length()
        + "]";
  }

  /** Builds a {@link PreprocessedRequest}; every part starts at its defaults. */
  public static final class Builder {
    private String requestId = "";
    private String model = "";
    private TokenSlice tokenIds = TokenSlice.empty();
    private StopConditions stopConditions = StopConditions.ofDefaults();
    private SamplingOptions samplingOptions = SamplingOptions.ofDefaults();
    private RoutingHints routing = RoutingHints.none();
    private Map<String, Object> extensions = Collections.emptyMap();

    private Builder() {}

    public Builder model(String model) {
      this.model = model;
      return this;
    }

    public Builder tokenIds(TokenSlice tokenIds) {
      this.tokenIds = tokenIds;
      return this;
    }

    public Builder stopConditions(StopConditions stopConditions) {
      this.stopConditions = stopConditions;
      return this;
    }

    public Builder samplingOptions(SamplingOptions samplingOptions) {
      this.samplingOptions = samplingOptions;
      return this;
    }

    public Builder routing(RoutingHints routing) {
      this.routing = routing;
      return this;
    }

    /** Copies the map; what its values refer to must not change any more. */
    public Builder extensions(Map<String, Object> extensions) {
      this.extensions = Collections.unmodifiableMap(new LinkedHashMap<>(extensions));
      return this;
    }

    public PreprocessedRequest build() {
      return new PreprocessedRequest(this);
    }
  }
}
