// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.indexer.ApproximateCachePolicy;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.KvIndexerBuilder;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * How workers are scored and what is tracked; Dynamo's names, defaults and ranges.
 *
 * <p>Every field acts. Fields of Dynamo that this version does not honour are absent rather than
 * ignored.
 */
public final class KvRouterConfig {
  private static final KvRouterConfig DEFAULTS = builder().build();

  final double overlapScoreCredit;
  final double overlapScoreCreditDecay;
  final double prefillLoadScale;
  final double decodeActiveRequestWeight;
  final double hostCacheHitWeight;
  final double diskCacheHitWeight;
  final double routerTemperature;
  final boolean routerTrackActiveBlocks;
  final boolean routerTrackOutputBlocks;
  final boolean routerAssumeKvReuse;
  final boolean routerTrackPrefillTokens;
  final boolean scoringOverrides;
  final boolean useKvEvents;
  final @Nullable Duration routerTtl;
  final ApproximateCachePolicy routerApproximateCachePolicy;
  final @Nullable Duration routerPredictedTtl;
  final boolean useRemoteIndexer;
  final boolean serveIndexer;
  final boolean routerReplicaSync;
  final @Nullable Integer routerEventThreads;
  final boolean expectsPrefillLoadModel;
  final PrefillBypass prefillBypass;

  KvRouterConfig(KvRouterConfigBuilder builder) {
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
    this.routerReplicaSync = builder.routerReplicaSync;
    this.routerEventThreads = builder.routerEventThreads;
    this.expectsPrefillLoadModel = builder.expectsPrefillLoadModel;
    this.prefillBypass = builder.prefillBypass;
  }

  public static KvRouterConfig ofDefaults() {
    return DEFAULTS;
  }

  public static KvRouterConfigBuilder builder() {
    return new KvRouterConfigBuilder();
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
    KvRouterConfigBuilder builder = builder();
    KvRouterEnvironment.apply(environment, builder);
    return builder.build();
  }

  /**
   * Reads Dynamo's map of router settings, as its JSON and model cards carry it. Fields of the
   * queue are accepted and read by {@link QueueConfig#fromMap}; null is the default.
   *
   * @throws IllegalArgumentException if a field is not known, has the wrong type or range, or asks
   *     for something that this library does not do
   */
  public static KvRouterConfig fromMap(Map<?, ?> fields) {
    KvRouterConfigBuilder builder = builder();
    KvRouterFields.apply(fields, builder);
    return builder.build();
  }

  public KvRouterConfigBuilder toBuilder() {
    return new KvRouterConfigBuilder(this);
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

  /** Returns whether the router must be given a plane on which routers share their bookings. */
  public boolean routerReplicaSync() {
    return routerReplicaSync;
  }

  /**
   * Returns on how many lanes the index of {@link #indexer} applies events; empty for one, which
   * keeps up with fleets for which Dynamo takes four threads.
   */
  public OptionalInt routerEventThreads() {
    return routerEventThreads == null ? OptionalInt.empty() : OptionalInt.of(routerEventThreads);
  }

  /** Returns whether the router must be given a {@link PrefillLoadModel}. */
  public boolean expectsPrefillLoadModel() {
    return expectsPrefillLoadModel;
  }

  /** Returns which prompts the decode worker of two pools computes itself. */
  public PrefillBypass prefillBypass() {
    return prefillBypass;
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
    if (routerEventThreads != null) {
      index.eventLanes(routerEventThreads);
    }
    if (routerTtl != null) {
      index.routerTtl(routerTtl);
    }
    if (routerPredictedTtl != null) {
      index.predictedTtl(routerPredictedTtl);
    }
    return index;
  }

  /**
   * Returns whether engines' events matter here: whether a host connects a {@link
   * io.dynamo4j.indexer.KvEventFeed} for the router. Without it nothing is subscribed to and
   * nothing is asked of sources.
   */
  public boolean needsEventFeed() {
    return needsOverlap() && useKvEvents && !useRemoteIndexer;
  }

  /** Returns whether an index must learn from decisions. */
  boolean needsLearning() {
    return needsOverlap() && (!useKvEvents || routerPredictedTtl != null);
  }

  /** Returns whether an index is asked at all: with a credit of 0 its answer could not matter. */
  boolean needsOverlap() {
    return overlapScoreCredit > 0;
  }
}
