// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.indexer.ApproximateCachePolicy;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds a {@link KvRouterConfig}. Ranges are checked by {@link #build}. */
public final class KvRouterConfigBuilder {
  double overlapScoreCredit = 1.0;
  double overlapScoreCreditDecay;
  double prefillLoadScale = 1.0;
  double decodeActiveRequestWeight;
  double hostCacheHitWeight = 0.75;
  double diskCacheHitWeight = 0.25;
  double routerTemperature;
  boolean routerTrackActiveBlocks = true;
  boolean routerTrackOutputBlocks;
  boolean routerAssumeKvReuse = true;
  boolean routerTrackPrefillTokens = true;
  boolean scoringOverrides = true;
  boolean useKvEvents = true;
  @Nullable Duration routerTtl;
  ApproximateCachePolicy routerApproximateCachePolicy = ApproximateCachePolicy.TTL;
  @Nullable Duration routerPredictedTtl;
  boolean useRemoteIndexer;
  boolean serveIndexer;
  boolean routerReplicaSync;
  @Nullable Integer routerEventThreads;
  boolean expectsPrefillLoadModel;
  PrefillBypass prefillBypass = PrefillBypass.never();

  KvRouterConfigBuilder() {}

  KvRouterConfigBuilder(KvRouterConfig config) {
    this.overlapScoreCredit = config.overlapScoreCredit;
    this.overlapScoreCreditDecay = config.overlapScoreCreditDecay;
    this.prefillLoadScale = config.prefillLoadScale;
    this.decodeActiveRequestWeight = config.decodeActiveRequestWeight;
    this.hostCacheHitWeight = config.hostCacheHitWeight;
    this.diskCacheHitWeight = config.diskCacheHitWeight;
    this.routerTemperature = config.routerTemperature;
    this.routerTrackActiveBlocks = config.routerTrackActiveBlocks;
    this.routerTrackOutputBlocks = config.routerTrackOutputBlocks;
    this.routerAssumeKvReuse = config.routerAssumeKvReuse;
    this.routerTrackPrefillTokens = config.routerTrackPrefillTokens;
    this.scoringOverrides = config.scoringOverrides;
    this.useKvEvents = config.useKvEvents;
    this.routerTtl = config.routerTtl;
    this.routerApproximateCachePolicy = config.routerApproximateCachePolicy;
    this.routerPredictedTtl = config.routerPredictedTtl;
    this.useRemoteIndexer = config.useRemoteIndexer;
    this.serveIndexer = config.serveIndexer;
    this.routerReplicaSync = config.routerReplicaSync;
    this.routerEventThreads = config.routerEventThreads;
    this.expectsPrefillLoadModel = config.expectsPrefillLoadModel;
    this.prefillBypass = config.prefillBypass;
  }

  /**
   * Sets the credit of one cached device block; default 1, may exceed 1. With 0 no cached block of
   * any tier counts and the index is never asked.
   */
  public KvRouterConfigBuilder overlapScoreCredit(double blocks) {
    this.overlapScoreCredit = blocks;
    return this;
  }

  /**
   * Sets the decay of that credit; default 0 (none). At 1 a worker whose backlog exceeds the least
   * loaded one's by this request's size keeps half of it. Needs prefill tracking.
   */
  public KvRouterConfigBuilder overlapScoreCreditDecay(double decay) {
    this.overlapScoreCreditDecay = decay;
    return this;
  }

  /** Sets the factor of the prefill cost; default 1. */
  public KvRouterConfigBuilder prefillLoadScale(double scale) {
    this.prefillLoadScale = scale;
    return this;
  }

  /** Sets the cost of one running request in blocks; default 0. */
  public KvRouterConfigBuilder decodeActiveRequestWeight(double blocks) {
    this.decodeActiveRequestWeight = blocks;
    return this;
  }

  /**
   * Sets the credit of a host-memory block that continues a device prefix, 0 to 1; default 0.75.
   */
  public KvRouterConfigBuilder hostCacheHitWeight(double weight) {
    this.hostCacheHitWeight = weight;
    return this;
  }

  /** Sets the credit of a block on disk, or outside, that continues those, 0 to 1; default 0.25. */
  public KvRouterConfigBuilder diskCacheHitWeight(double weight) {
    this.diskCacheHitWeight = weight;
    return this;
  }

  /** Sets the softmax temperature; default 0, the cheapest worker. */
  public KvRouterConfigBuilder routerTemperature(double temperature) {
    this.routerTemperature = temperature;
    return this;
  }

  /** Sets whether running requests' prompt blocks count as load; default true. */
  public KvRouterConfigBuilder routerTrackActiveBlocks(boolean track) {
    this.routerTrackActiveBlocks = track;
    return this;
  }

  /** Sets whether generated blocks count too; default false. Needs active blocks tracked. */
  public KvRouterConfigBuilder routerTrackOutputBlocks(boolean track) {
    this.routerTrackOutputBlocks = track;
    return this;
  }

  /** Sets whether equal blocks on one worker count once; default true. */
  public KvRouterConfigBuilder routerAssumeKvReuse(boolean assume) {
    this.routerAssumeKvReuse = assume;
    return this;
  }

  /** Sets whether uncomputed prompt tokens count as load; default true. */
  public KvRouterConfigBuilder routerTrackPrefillTokens(boolean track) {
    this.routerTrackPrefillTokens = track;
    return this;
  }

  /**
   * Sets whether a request's own credit, scale and temperature act; default true. Dynamo checks
   * them and scores as configured, which is what false gives. No setting of Dynamo.
   */
  public KvRouterConfigBuilder scoringOverrides(boolean act) {
    this.scoringOverrides = act;
    return this;
  }

  /**
   * Sets whether engines' events say what ranks hold; default true. If not, a router that is given
   * a block size instead of an index makes one that learns from its own decisions.
   */
  public KvRouterConfigBuilder useKvEvents(boolean use) {
    this.useKvEvents = use;
    return this;
  }

  /** Sets how long a decision is believed without events; default 120 s. */
  public KvRouterConfigBuilder routerTtl(Duration ttl) {
    this.routerTtl = ttl;
    return this;
  }

  /** Sets what makes an index without events forget; default time. */
  public KvRouterConfigBuilder routerApproximateCachePolicy(ApproximateCachePolicy policy) {
    this.routerApproximateCachePolicy = Objects.requireNonNull(policy, "policy");
    return this;
  }

  /** Sets for how long decisions are believed beside events; default not at all. */
  public KvRouterConfigBuilder routerPredictedTtl(Duration ttl) {
    this.routerPredictedTtl = ttl;
    return this;
  }

  /** Sets whether another router's index is asked, and none kept; default false. */
  public KvRouterConfigBuilder useRemoteIndexer(boolean use) {
    this.useRemoteIndexer = use;
    return this;
  }

  /** Sets whether other routers may ask this one's index; default false. */
  public KvRouterConfigBuilder serveIndexer(boolean serve) {
    this.serveIndexer = serve;
    return this;
  }

  /**
   * Sets whether routers must share their bookings; default false. If so, a router is built only
   * with {@link KvRouterBuilder#replicaSync}, which turns it on by itself as well.
   */
  public KvRouterConfigBuilder routerReplicaSync(boolean sync) {
    this.routerReplicaSync = sync;
    return this;
  }

  /** Sets on how many lanes the index of {@link KvRouterConfig#indexer} applies events. */
  public KvRouterConfigBuilder routerEventThreads(int threads) {
    this.routerEventThreads = threads;
    return this;
  }

  /**
   * Sets whether prefill times must be predicted; default false. If so, a router is built only with
   * {@link KvRouterBuilder#prefillLoadModel}. Needs prefill tracking.
   */
  public KvRouterConfigBuilder expectsPrefillLoadModel(boolean expects) {
    this.expectsPrefillLoadModel = expects;
    return this;
  }

  /**
   * Sets which prompts the decode worker of two pools computes itself; default none. A {@link
   * DisaggregatedRouter} takes it from its decode router; a {@link KvDispatcher}, which has one
   * pool, is not built with it.
   */
  public KvRouterConfigBuilder prefillBypass(PrefillBypass bypass) {
    this.prefillBypass = Objects.requireNonNull(bypass, "bypass");
    return this;
  }

  /**
   * Sets Dynamo's former single weight: it becomes the prefill load scale, and 0 also sets the
   * credit to 0. Overrides whatever those two were.
   */
  public KvRouterConfigBuilder overlapScoreWeight(double weight) {
    this.prefillLoadScale = weight;
    if (weight == 0) {
      this.overlapScoreCredit = 0;
    }
    return this;
  }

  KvRouterConfigBuilder loadAware() {
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
    KvRouterConfig config = new KvRouterConfig(this);
    KvRouterConfigRules.check(config);
    return config;
  }
}
