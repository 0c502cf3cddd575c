// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.SafeText;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one request changes in a {@link KvRouterConfig}, with Dynamo's names and ranges. Whatever is
 * not set stays as configured.
 *
 * <p>Dynamo checks the credit, the scale and the temperature and then scores as configured all the
 * same. Here they act, unless {@link KvRouterConfig#scoringOverrides} is off.
 *
 * <p>A credit above 0 brings nothing where the configured one is 0: such a router has no index.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class RouterConfigOverride {
  private static final RouterConfigOverride NONE = new Builder().build();

  private final @Nullable Double overlapScoreCredit;
  private final @Nullable Double prefillLoadScale;
  private final @Nullable Double routerTemperature;
  private final @Nullable Boolean assumeKvReuse;
  private final @Nullable Boolean trackPrefillTokens;

  private RouterConfigOverride(Builder builder) {
    this.overlapScoreCredit = builder.overlapScoreCredit;
    this.prefillLoadScale = builder.prefillLoadScale;
    this.routerTemperature = builder.routerTemperature;
    this.assumeKvReuse = builder.assumeKvReuse;
    this.trackPrefillTokens = builder.trackPrefillTokens;
  }

  /** Returns the override that changes nothing. */
  public static RouterConfigOverride none() {
    return NONE;
  }

  public static Builder builder() {
    return new Builder();
  }

  /**
   * Reads {@code router_config_override} of a request; keys of other names do not count.
   *
   * @throws IllegalArgumentException if a value has the wrong type or is out of range
   */
  public static RouterConfigOverride fromMap(Map<?, ?> fields) {
    Builder builder = builder();
    fields.forEach((name, value) -> builder.set(String.valueOf(name), value));
    return builder.build();
  }

  /** Returns whether nothing is changed. */
  public boolean isNone() {
    return !changesScoring() && assumeKvReuse == null && trackPrefillTokens == null;
  }

  /** Returns whether the credit, the scale or the temperature is changed. */
  boolean changesScoring() {
    return overlapScoreCredit != null || prefillLoadScale != null || routerTemperature != null;
  }

  /**
   * Returns the override of a request whose prompt another worker computes: nothing to compute, and
   * blocks of its own, since those it is sent are nobody else's.
   */
  RouterConfigOverride forDecode() {
    Builder builder = new Builder();
    builder.overlapScoreCredit = overlapScoreCredit;
    builder.prefillLoadScale = prefillLoadScale;
    builder.routerTemperature = routerTemperature;
    return builder.assumeKvReuse(false).trackPrefillTokens(false).build();
  }

  /** Returns the configuration that the request is routed by. */
  KvRouterConfig applyTo(KvRouterConfig config) {
    boolean scores = changesScoring() && config.scoringOverrides();
    if (!scores && assumeKvReuse == null && trackPrefillTokens == null) {
      return config;
    }
    KvRouterConfigBuilder builder = config.toBuilder();
    if (scores) {
      builder
          .overlapScoreCredit(or(overlapScoreCredit, config.overlapScoreCredit()))
          .prefillLoadScale(or(prefillLoadScale, config.prefillLoadScale()))
          .routerTemperature(or(routerTemperature, config.routerTemperature()));
    }
    return builder
        .routerAssumeKvReuse(or(assumeKvReuse, config.routerAssumeKvReuse()))
        .routerTrackPrefillTokens(or(trackPrefillTokens, config.routerTrackPrefillTokens()))
        .build();
  }

  private static <T> T or(@Nullable T value, T otherwise) {
    return value == null ? otherwise : value;
  }

  /** Builds a {@link RouterConfigOverride}; ranges are checked by {@link #build}. */
  public static final class Builder {
    private @Nullable Double overlapScoreCredit;
    private @Nullable Double prefillLoadScale;
    private @Nullable Double routerTemperature;
    private @Nullable Boolean assumeKvReuse;
    private @Nullable Boolean trackPrefillTokens;
    private @Nullable Double overlapScoreWeight;
    private @Nullable Double sharedCacheMultiplier;

    private Builder() {}

    public Builder overlapScoreCredit(double blocks) {
      this.overlapScoreCredit = blocks;
      return this;
    }

    public Builder prefillLoadScale(double scale) {
      this.prefillLoadScale = scale;
      return this;
    }

    public Builder routerTemperature(double temperature) {
      this.routerTemperature = temperature;
      return this;
    }

    /** Sets whether this request's blocks may be shared with those of others. */
    public Builder assumeKvReuse(boolean assume) {
      this.assumeKvReuse = assume;
      return this;
    }

    /** Sets whether this request's prompt tokens count as load, its own and that of others. */
    public Builder trackPrefillTokens(boolean track) {
      this.trackPrefillTokens = track;
      return this;
    }

    /** Sets Dynamo's former single weight; see {@link KvRouterConfigBuilder#overlapScoreWeight}. */
    public Builder overlapScoreWeight(double weight) {
      this.overlapScoreWeight = weight;
      return this;
    }

    /**
     * Returns the override.
     *
     * @throws IllegalArgumentException if a number is out of range
     */
    public RouterConfigOverride build() {
      if (overlapScoreWeight != null) {
        ConfigRules.requireNotNegative("overlap_score_weight", overlapScoreWeight);
        prefillLoadScale = overlapScoreWeight;
        overlapScoreCredit = overlapScoreWeight == 0 ? Double.valueOf(0) : overlapScoreCredit;
      }
      if (overlapScoreCredit != null) {
        ConfigRules.requireNotNegative("overlap_score_credit", overlapScoreCredit);
      }
      if (prefillLoadScale != null) {
        ConfigRules.requireFiniteAndNotNegative("prefill_load_scale", prefillLoadScale);
      }
      if (routerTemperature != null) {
        ConfigRules.requireFiniteAndNotNegative("router_temperature", routerTemperature);
      }
      if (sharedCacheMultiplier != null) {
        ConfigRules.requireFraction("shared_cache_multiplier", sharedCacheMultiplier);
      }
      return new RouterConfigOverride(this);
    }

    private void set(String name, @Nullable Object value) {
      if (value == null) {
        return;
      }
      switch (name) {
        case "overlap_score_credit" -> overlapScoreCredit = number(name, value);
        case "prefill_load_scale" -> prefillLoadScale = number(name, value);
        case "router_temperature" -> routerTemperature = number(name, value);
        case "overlap_score_weight" -> overlapScoreWeight = number(name, value);
        case "shared_cache_multiplier" -> sharedCacheMultiplier = number(name, value);
        case "assume_kv_reuse" -> assumeKvReuse = flag(name, value);
        case "track_prefill_tokens" -> trackPrefillTokens = flag(name, value);
        default -> {
          // As Dynamo does: a newer peer's field is no fault of the request.
        }
      }
    }

    private static Double number(String name, Object value) {
      if (value instanceof Number number) {
        return number.doubleValue();
      }
      throw new IllegalArgumentException(
          name + " must be a number: " + name + "=" + SafeText.of(String.valueOf(value)));
    }

    private static Boolean flag(String name, Object value) {
      if (value instanceof Boolean flag) {
        return flag;
      }
      throw new IllegalArgumentException(
          name + " must be a boolean: " + name + "=" + SafeText.of(String.valueOf(value)));
    }
  }
}
