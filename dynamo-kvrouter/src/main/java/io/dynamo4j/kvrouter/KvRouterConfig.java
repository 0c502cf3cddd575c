// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.indexer.ApproximateCachePolicy;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.KvIndexerBuilder;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How workers are scored and what is tracked; Dynamo's names, defaults and ranges.
 *
 * <p>Every field acts. Fields of Dynamo that this version does not honour are absent rather than
 * ignored.
 */
public final class KvRouterConfig {
  private static final KvRouterConfig DEFAULTS = builder().build();

  private final double overlapScoreCredit;
  private final double overlapScoreCreditDecay;
  private final double prefillLoadScale;
  private final double decodeActiveRequestWeight;
  private final double hostCacheHitWeight;
  private final double diskCacheHitWeight;
  private final double routerTemperature;
  private final boolean routerTrackActiveBlocks;
  private final boolean routerTrackOutputBlocks;
  private final boolean routerAssumeKvReuse;
  private final boolean routerTrackPrefillTokens;
  private final boolean scoringOverrides;
  private final boolean useKvEvents;
  private final @Nullable Duration routerTtl;
  private final ApproximateCachePolicy routerApproximateCachePolicy;
  private final @Nullable Duration routerPredictedTtl;
  private final boolean useRemoteIndexer;
  private final boolean serveIndexer;

  private KvRouterConfig(Builder builder) {
    this.overlapScoreCredit = builder.overlapScoreCredit;
    this.overlapScoreCreditDecay = builder.overlapScoreCreditDecay;
    this.prefillLoadScale = builder.prefillLoadScale;
    this.decodeActiveRequestWeight = builder.decodeActiveRequestWeight;
    this.hostCacheHitWeight = builder.hostCacheHitWeight;
    this.diskCacheHitWeight = builder.diskCacheHitWeight;
    this.routerTemperature = builder.routerTemperature;
    this.routerTrackActiveBlocks = builder.routerTrackActiveBlocks;
    this.routerTrackOutputBlocks = builder.routerTrackOutputBlocks;
    this.routerAssumeKvReuse = builder.routerAssumeKvReuse;
    this.routerTrackPrefillTokens = builder.routerTrackPrefillTokens;
    this.scoringOverrides = builder.scoringOverrides;
    this.useKvEvents = builder.useKvEvents;
    this.routerTtl = builder.routerTtl;
    this.routerApproximateCachePolicy = builder.routerApproximateCachePolicy;
    this.routerPredictedTtl = builder.routerPredictedTtl;
    this.useRemoteIndexer = builder.useRemoteIndexer;
    this.serveIndexer = builder.serveIndexer;
  }

  public static KvRouterConfig ofDefaults() {
    return DEFAULTS;
  }

  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns Dynamo's load-only preset: no overlap credit, so no index is asked, and every block of
   * every request counts as its own.
   */
  public static KvRouterConfig loadAware() {
    return builder().loadAware().build();
  }

  /**
   * Reads Dynamo's {@code DYN_*} variables; a variable that is absent or cannot be parsed keeps the
   * default.
   *
   * @throws IllegalArgumentException if a value is out of range
   */
  public static KvRouterConfig fromEnvironment(Map<String, String> environment) {
    Builder builder = builder();
    KvRouterEnvironment.apply(environment, builder);
    return builder.build();
  }

  public Builder toBuilder() {
    Builder builder = builder();
    builder.overlapScoreCredit = overlapScoreCredit;
    builder.overlapScoreCreditDecay = overlapScoreCreditDecay;
    builder.prefillLoadScale = prefillLoadScale;
    builder.decodeActiveRequestWeight = decodeActiveRequestWeight;
    builder.hostCacheHitWeight = hostCacheHitWeight;
    builder.diskCacheHitWeight = diskCacheHitWeight;
    builder.routerTemperature = routerTemperature;
    builder.routerTrackActiveBlocks = routerTrackActiveBlocks;
    builder.routerTrackOutputBlocks = routerTrackOutputBlocks;
    builder.routerAssumeKvReuse = routerAssumeKvReuse;
    builder.routerTrackPrefillTokens = routerTrackPrefillTokens;
    builder.scoringOverrides = scoringOverrides;
    builder.useKvEvents = useKvEvents;
    builder.routerTtl = routerTtl;
    builder.routerApproximateCachePolicy = routerApproximateCachePolicy;
    builder.routerPredictedTtl = routerPredictedTtl;
    builder.useRemoteIndexer = useRemoteIndexer;
    builder.serveIndexer = serveIndexer;
    return builder;
  }

  /** Returns how much one cached device block takes off the prefill cost, in blocks. */
  public double overlapScoreCredit() {
    return overlapScoreCredit;
  }

  /** Returns how fast the credit shrinks with a worker's prefill backlog; 0 means not at all. */
  public double overlapScoreCreditDecay() {
    return overlapScoreCreditDecay;
  }

  /** Returns the factor of the prefill cost, applied after the credit. */
  public double prefillLoadScale() {
    return prefillLoadScale;
  }

  /** Returns the cost, in blocks, of one request in flight. */
  public double decodeActiveRequestWeight() {
    return decodeActiveRequestWeight;
  }

  /** Returns the credit of one block that continues the device prefix in host memory. */
  public double hostCacheHitWeight() {
    return hostCacheHitWeight;
  }

  /** Returns the credit of one block that continues the prefix on disk. */
  public double diskCacheHitWeight() {
    return diskCacheHitWeight;
  }

  /** Returns the softmax temperature; 0 picks the cheapest. */
  public double routerTemperature() {
    return routerTemperature;
  }

  /** Returns whether prompt blocks of running requests count as load. */
  public boolean routerTrackActiveBlocks() {
    return routerTrackActiveBlocks;
  }

  /** Returns whether blocks that fill while an answer is generated count as load. */
  public boolean routerTrackOutputBlocks() {
    return routerTrackOutputBlocks;
  }

  /** Returns whether equal prompt blocks of one worker's requests count once. */
  public boolean routerAssumeKvReuse() {
    return routerAssumeKvReuse;
  }

  /** Returns whether prompt tokens not yet computed count as load. */
  public boolean routerTrackPrefillTokens() {
    return routerTrackPrefillTokens;
  }

  /** Returns whether a request's own credit, scale and temperature act. */
  public boolean scoringOverrides() {
    return scoringOverrides;
  }

  /** Returns whether engines' events say what ranks hold; if not, own decisions do. */
  public boolean useKvEvents() {
    return useKvEvents;
  }

  /** Returns how long a decision is believed without events. */
  public Duration routerTtl() {
    return routerTtl == null ? KvIndexerBuilder.DEFAULT_ROUTER_TTL : routerTtl;
  }

  /** Returns what makes an index without events forget. */
  public ApproximateCachePolicy routerApproximateCachePolicy() {
    return routerApproximateCachePolicy;
  }

  /** Returns for how long decisions are believed beside events; empty for not at all. */
  public Optional<Duration> routerPredictedTtl() {
    return Optional.ofNullable(routerPredictedTtl);
  }

  /** Returns whether another router's index is asked and none is kept. */
  public boolean useRemoteIndexer() {
    return useRemoteIndexer;
  }

  /** Returns whether other routers may ask this one's index. */
  public boolean serveIndexer() {
    return serveIndexer;
  }

  /**
   * Starts the index that this configuration asks for: fed by events or by decisions, with its
   * times to live. Environment and block size are still to be set.
   */
  public KvIndexerBuilder indexer() {
    KvIndexerBuilder index =
        KvIndexer.builder()
            .useKvEvents(useKvEvents)
            .approximateCachePolicy(routerApproximateCachePolicy);
    if (routerTtl != null) {
      index.routerTtl(routerTtl);
    }
    if (routerPredictedTtl != null) {
      index.predictedTtl(routerPredictedTtl);
    }
    return index;
  }

  /** Returns whether an index must learn from decisions. */
  boolean needsLearning() {
    return needsOverlap() && (!useKvEvents || routerPredictedTtl != null);
  }

  /** Returns whether an index is asked at all: with a credit of 0 its answer could not matter. */
  boolean needsOverlap() {
    return overlapScoreCredit > 0;
  }

  /** Builds a {@link KvRouterConfig}. Ranges are checked by {@link #build}. */
  public static final class Builder {
    private double overlapScoreCredit = 1.0;
    private double overlapScoreCreditDecay;
    private double prefillLoadScale = 1.0;
    private double decodeActiveRequestWeight;
    private double hostCacheHitWeight = 0.75;
    private double diskCacheHitWeight = 0.25;
    private double routerTemperature;
    private boolean routerTrackActiveBlocks = true;
    private boolean routerTrackOutputBlocks;
    private boolean routerAssumeKvReuse = true;
    private boolean routerTrackPrefillTokens = true;
    private boolean scoringOverrides = true;
    private boolean useKvEvents = true;
    private @Nullable Duration routerTtl;
    private ApproximateCachePolicy routerApproximateCachePolicy = ApproximateCachePolicy.TTL;
    private @Nullable Duration routerPredictedTtl;
    private boolean useRemoteIndexer;
    private boolean serveIndexer;

    private Builder() {}

    /**
     * Sets the credit of one cached device block; default 1, may exceed 1. With 0 no cached block
     * of any tier counts and the index is never asked.
     */
    public Builder overlapScoreCredit(double blocks) {
      this.overlapScoreCredit = blocks;
      return this;
    }

    /**
     * Sets the decay of that credit; default 0 (none). At 1 a worker whose backlog exceeds the
     * least loaded one's by this request's size keeps half of it. Needs prefill tracking.
     */
    public Builder overlapScoreCreditDecay(double decay) {
      this.overlapScoreCreditDecay = decay;
      return this;
    }

    /** Sets the factor of the prefill cost; default 1. */
    public Builder prefillLoadScale(double scale) {
      this.prefillLoadScale = scale;
      return this;
    }

    /** Sets the cost of one running request in blocks; default 0. */
    public Builder decodeActiveRequestWeight(double blocks) {
      this.decodeActiveRequestWeight = blocks;
      return this;
    }

    /**
     * Sets the credit of a host-memory block that continues a device prefix, 0 to 1; default 0.75.
     */
    public Builder hostCacheHitWeight(double weight) {
      this.hostCacheHitWeight = weight;
      return this;
    }

    /**
     * Sets the credit of a block on disk, or outside, that continues those, 0 to 1; default 0.25.
     */
    public Builder diskCacheHitWeight(double weight) {
      this.diskCacheHitWeight = weight;
      return this;
    }

    /** Sets the softmax temperature; default 0, the cheapest worker. */
    public Builder routerTemperature(double temperature) {
      this.routerTemperature = temperature;
      return this;
    }

    /** Sets whether running requests' prompt blocks count as load; default true. */
    public Builder routerTrackActiveBlocks(boolean track) {
      this.routerTrackActiveBlocks = track;
      return this;
    }

    /** Sets whether generated blocks count too; default false. Needs active blocks tracked. */
    public Builder routerTrackOutputBlocks(boolean track) {
      this.routerTrackOutputBlocks = track;
      return this;
    }

    /** Sets whether equal blocks on one worker count once; default true. */
    public Builder routerAssumeKvReuse(boolean assume) {
      this.routerAssumeKvReuse = assume;
      return this;
    }

    /** Sets whether uncomputed prompt tokens count as load; default true. */
    public Builder routerTrackPrefillTokens(boolean track) {
      this.routerTrackPrefillTokens = track;
      return this;
    }

    /**
     * Sets whether a request's own credit, scale and temperature act; default true. Dynamo checks
     * them and scores as configured, which is what false gives. No setting of Dynamo.
     */
    public Builder scoringOverrides(boolean act) {
      this.scoringOverrides = act;
      return this;
    }

    /**
     * Sets whether engines' events say what ranks hold; default true. If not, a router that is
     * given a block size instead of an index makes one that learns from its own decisions.
     */
    public Builder useKvEvents(boolean use) {
      this.useKvEvents = use;
      return this;
    }

    /** Sets how long a decision is believed without events; default 120 s. */
    public Builder routerTtl(Duration ttl) {
      this.routerTtl = ttl;
      return this;
    }

    /** Sets what makes an index without events forget; default time. */
    public Builder routerApproximateCachePolicy(ApproximateCachePolicy policy) {
      this.routerApproximateCachePolicy = Objects.requireNonNull(policy, "policy");
      return this;
    }

    /** Sets for how long decisions are believed beside events; default not at all. */
    public Builder routerPredictedTtl(Duration ttl) {
      this.routerPredictedTtl = ttl;
      return this;
    }

    /** Sets whether another router's index is asked, and none kept; default false. */
    public Builder useRemoteIndexer(boolean use) {
      this.useRemoteIndexer = use;
      return this;
    }

    /** Sets whether other routers may ask this one's index; default false. */
    public Builder serveIndexer(boolean serve) {
      this.serveIndexer = serve;
      return this;
    }

    /**
     * Sets Dynamo's former single weight: it becomes the prefill load scale, and 0 also sets the
     * credit to 0. Overrides whatever those two were.
     */
    public Builder overlapScoreWeight(double weight) {
      this.prefillLoadScale = weight;
      if (weight == 0) {
        this.overlapScoreCredit = 0;
      }
      return this;
    }

    Builder loadAware() {
      this.overlapScoreCredit = 0;
      this.routerTrackActiveBlocks = true;
      this.routerAssumeKvReuse = false;
      this.routerTrackPrefillTokens = true;
      this.useKvEvents = false;
      this.routerPredictedTtl = null;
      this.useRemoteIndexer = false;
      this.serveIndexer = false;
      return this;
    }

    /**
     * Returns the configuration.
     *
     * @throws IllegalArgumentException if a number is out of range or two options contradict
     */
    public KvRouterConfig build() {
      ConfigRules.requireNotNegative("overlap_score_credit", overlapScoreCredit);
      ConfigRules.requireNotNegative("overlap_score_credit_decay", overlapScoreCreditDecay);
      ConfigRules.requireNotNegative("prefill_load_scale", prefillLoadScale);
      ConfigRules.requireNotNegative("decode_active_request_weight", decodeActiveRequestWeight);
      ConfigRules.requireFraction("host_cache_hit_weight", hostCacheHitWeight);
      ConfigRules.requireFraction("disk_cache_hit_weight", diskCacheHitWeight);
      ConfigRules.requireTemperature(routerTemperature);
      if (routerTrackOutputBlocks && !routerTrackActiveBlocks) {
        throw new IllegalArgumentException(
            "router_track_output_blocks requires router_track_active_blocks=true");
      }
      ConfigRules.requirePositive("router_ttl_secs", routerTtl);
      ConfigRules.requirePositive("router_predicted_ttl_secs", routerPredictedTtl);
      if (routerPredictedTtl != null && !useKvEvents) {
        throw new IllegalArgumentException("router_predicted_ttl_secs requires use_kv_events=true");
      }
      if (useRemoteIndexer && serveIndexer) {
        throw new IllegalArgumentException(
            "use_remote_indexer and serve_indexer are mutually exclusive");
      }
      if (serveIndexer && overlapScoreCredit == 0) {
        throw new IllegalArgumentException("serve_indexer requires overlap_score_credit > 0");
      }
      return new KvRouterConfig(this);
    }
  }
}
