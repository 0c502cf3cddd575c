// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Lanes;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.indexer.DurableSources;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.remote.IndexService;
import io.dynamo4j.indexer.remote.RemoteIndex;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerHealth;
import java.time.InstantSource;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds a {@link KvRouter}. {@link #environment} and {@link #directory} are required; an {@link
 * #indexer} is too, or a {@link #blockSize} alone where the configuration gives overlap no credit
 * or uses no events: without events the router makes an index that learns from its own decisions.
 */
public final class KvRouterBuilder {
  /** Publisher ids have 53 bits, as Dynamo's do. */
  private static final long PUBLISHER_ID_BITS = (1L << 53) - 1;

  private static final double DEFAULT_EXPLAIN_RATE = 0.001;

  private @Nullable Environment environment;
  private @Nullable WorkerDirectory directory;
  private @Nullable KvIndexer indexer;
  private @Nullable KvIndexer ownIndexer;
  private @Nullable RemoteIndex remoteIndex;
  private @Nullable KvIndexer remoteFallback;
  private @Nullable IndexService indexService;
  private String servedModel = "";
  private KvRouterConfig config = KvRouterConfig.ofDefaults();
  private @Nullable WorkerHealth health;
  private @Nullable LoadMonitor loadMonitor;
  private QueueConfig queue = QueueConfig.off();
  private @Nullable ActiveBlockTracker tracker;
  private @Nullable WorkerSelector selector;
  private KvPolicy policy = KvPolicy.KV;
  private PredictionConfig prediction = PredictionConfig.ofDefaults();
  private @Nullable WorkerSpeeds speeds;
  private @Nullable LearnedSpeeds learnedSpeeds;
  private boolean learnsSpeeds;
  private LeaseConfig leases = LeaseConfig.ofDefaults();
  private PrefillLoadModel prefillLoadModel = PrefillLoadModel.NONE;
  private @Nullable EventPlane syncPlane;
  private @Nullable EventScope syncScope;
  private @Nullable Long routerId;
  private @Nullable KvEventFeed eventFeed;
  private @Nullable DurableSources durableSources;
  private int expectedPeers;
  private @Nullable RoutingListener listener;
  private double explainRate = DEFAULT_EXPLAIN_RATE;
  private @Nullable WorkerSelector shadow;
  private @Nullable KvPolicy shadowPolicy;
  private int blockSize;
  private Logger log = LoggerFactory.getLogger(KvRouter.class);

  KvRouterBuilder() {}

  /** Sets where chance and time come from. */
  public KvRouterBuilder environment(Environment environment) {
    this.environment = Objects.requireNonNull(environment, "environment");
    return this;
  }

  /** Sets who is registered. */
  public KvRouterBuilder directory(WorkerDirectory directory) {
    this.directory = Objects.requireNonNull(directory, "directory");
    return this;
  }

  /**
   * Sets who failed just now or drains; default nobody. Whoever sees outcomes reports them there;
   * the router asks, and claims the probe of a rank that is tried again.
   */
  public KvRouterBuilder health(WorkerHealth health) {
    this.health = Objects.requireNonNull(health, "health");
    return this;
  }

  /**
   * Sets who knows which workers are too busy; default nobody. What the router booked counts as
   * well as what workers report there.
   */
  public KvRouterBuilder loadMonitor(LoadMonitor monitor) {
    this.loadMonitor = Objects.requireNonNull(monitor, "monitor");
    return this;
  }

  /** Sets when requests wait in {@link KvRouter#select}; default never. */
  public KvRouterBuilder queue(QueueConfig queue) {
    this.queue = Objects.requireNonNull(queue, "queue");
    return this;
  }

  /** Sets who knows cached prefixes; it stays the caller's. Not asked where credit is 0. */
  public KvRouterBuilder indexer(KvIndexer indexer) {
    this.indexer = Objects.requireNonNull(indexer, "indexer");
    return this;
  }

  /**
   * Sets an index of other routers, to be asked instead of one's own, where the configuration says
   * {@code useRemoteIndexer}. Only {@link KvRouter#select} and dispatchers ask it: {@link
   * KvRouter#trySelect} does not wait and decides by load alone, or by {@link #remoteFallback}. A
   * router with one subscribes to no events and keeps no index; if the index is told of decisions,
   * {@link RemoteIndex#recordingTo}, all that book are told.
   */
  public KvRouterBuilder remoteIndex(RemoteIndex remoteIndex) {
    this.remoteIndex = Objects.requireNonNull(remoteIndex, "remoteIndex");
    return this;
  }

  /**
   * Sets what answers when an index elsewhere does not, and where nothing may be waited for: an
   * index without events that learns from this router's decisions. It stays the caller's; {@link
   * KvRouter#remoteFallbacks} counts. By load alone unless set.
   */
  public KvRouterBuilder remoteFallback(KvIndexer predictions) {
    this.remoteFallback = Objects.requireNonNull(predictions, "predictions");
    return this;
  }

  /**
   * Sets where the router's index is served to others, where the configuration says {@code
   * serveIndexer}; the service stays the caller's.
   */
  public KvRouterBuilder indexService(IndexService service, String modelName) {
    this.indexService = Objects.requireNonNull(service, "service");
    this.servedModel = Objects.requireNonNull(modelName, "modelName");
    return this;
  }

  /**
   * Sets who feeds the indexer, so that {@link KvRouter#health} can name events that are missing or
   * wrong; it stays the caller's. Default nobody: health then knows nothing of events.
   */
  public KvRouterBuilder eventFeed(KvEventFeed feed) {
    this.eventFeed = Objects.requireNonNull(feed, "feed");
    return this;
  }

  /**
   * Sets who knows which ranks write to a durable log, so that {@link KvRouter#health} can name
   * those that do what the router does not; default nobody.
   */
  public KvRouterBuilder durableSources(DurableSources sources) {
    this.durableSources = Objects.requireNonNull(sources, "sources");
    return this;
  }

  /**
   * Sets how many other routers share the workers, so that {@link KvRouter#health} can name it if
   * fewer are heard of; default 0, nobody is missed. Goes with {@link #replicaSync}.
   *
   * @throws IllegalArgumentException if negative
   */
  public KvRouterBuilder expectedPeers(int routers) {
    if (routers < 0) {
      throw new IllegalArgumentException("expected peers must not be negative: peers=" + routers);
    }
    this.expectedPeers = routers;
    return this;
  }

  /** Sets who hears of bookings and ends of requests; default nobody. */
  public KvRouterBuilder listener(RoutingListener listener) {
    this.listener = Objects.requireNonNull(listener, "listener");
    return this;
  }

  /** Sets weights and tracking; default {@link KvRouterConfig#ofDefaults}. */
  public KvRouterBuilder config(KvRouterConfig config) {
    this.config = Objects.requireNonNull(config, "config");
    return this;
  }

  /** Replaces the account of live load; the router becomes its only user. */
  public KvRouterBuilder tracker(ActiveBlockTracker tracker) {
    this.tracker = Objects.requireNonNull(tracker, "tracker");
    return this;
  }

  /** Sets which of the router's own policies decides; default {@link KvPolicy#KV}. */
  public KvRouterBuilder policy(KvPolicy policy) {
    this.policy = Objects.requireNonNull(policy, "policy");
    return this;
  }

  /** Sets what {@link KvPolicy#KV_PREDICTED} is told instead of learning it. */
  public KvRouterBuilder prediction(PredictionConfig prediction) {
    this.prediction = Objects.requireNonNull(prediction, "prediction");
    return this;
  }

  /**
   * Replaces the policy by one of the host. With {@link KvPolicy#KV_PREDICTED} the candidates carry
   * that policy's figures too, so that a {@link PredictedWorkerScorer} can be one of several.
   */
  public KvRouterBuilder selector(WorkerSelector selector) {
    this.selector = Objects.requireNonNull(selector, "selector");
    return this;
  }

  /** Sets how fast ranks are; by default all are equal. */
  public KvRouterBuilder speeds(WorkerSpeeds speeds) {
    this.speeds = Objects.requireNonNull(speeds, "speeds");
    return this;
  }

  /**
   * Learns how fast ranks are, from the first tokens and the answers of the router's own requests,
   * instead of being told. One factor serves for prefill and decode; leases have to be told of
   * output tokens ({@link RequestLease#addOutputTokens}) for answers to count. {@link
   * KvPolicy#KV_PREDICTED} learns anyway.
   */
  public KvRouterBuilder learnSpeeds() {
    this.learnsSpeeds = true;
    return this;
  }

  /**
   * Shares bookings with the other routers of these workers, Dynamo's included. The plane stays the
   * caller's; the router has to be closed.
   *
   * @param scope the workers' endpoint
   */
  public KvRouterBuilder replicaSync(EventPlane plane, EventScope scope) {
    this.syncPlane = Objects.requireNonNull(plane, "plane");
    this.syncScope = Objects.requireNonNull(scope, "scope");
    return this;
  }

  /** Sets what other routers know this one by, unsigned and unique among them; default random. */
  public KvRouterBuilder routerId(long id) {
    this.routerId = id;
    return this;
  }

  /**
   * Sets the share of choices that come with a {@link DecisionRecord}; default one in a thousand.
   * No choice depends on it.
   *
   * @throws IllegalArgumentException if not in 0..1
   */
  public KvRouterBuilder explainRate(double share) {
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException("explain rate must be in 0..1: share=" + share);
    }
    this.explainRate = share;
    return this;
  }

  /** Lets a policy decide beside the active one; no choice depends on it. Default none. */
  public KvRouterBuilder shadow(WorkerSelector policy) {
    this.shadow = Objects.requireNonNull(policy, "policy");
    this.shadowPolicy = null;
    return this;
  }

  /** Lets one of the router's own policies decide beside the active one. */
  public KvRouterBuilder shadow(KvPolicy policy) {
    this.shadowPolicy = Objects.requireNonNull(policy, "policy");
    return this;
  }

  /** Sets how long bookings live; default {@link LeaseConfig#ofDefaults}. */
  public KvRouterBuilder leases(LeaseConfig leases) {
    this.leases = Objects.requireNonNull(leases, "leases");
    return this;
  }

  /** Sets what predicts prefill times; by default nothing does. */
  public KvRouterBuilder prefillLoadModel(PrefillLoadModel model) {
    this.prefillLoadModel = Objects.requireNonNull(model, "model");
    return this;
  }

  /**
   * Sets tokens per block; default the index's.
   *
   * @throws IllegalArgumentException if not positive
   */
  public KvRouterBuilder blockSize(int tokens) {
    if (tokens < 1) {
      throw new IllegalArgumentException("block size must be positive: blockSize=" + tokens);
    }
    this.blockSize = tokens;
    return this;
  }

  /**
   * Returns the router.
   *
   * @throws IllegalStateException if a required part is missing
   * @throws IllegalArgumentException if the block size differs from the index's, or the index does
   *     not learn from decisions where the configuration relies on that
   */
  public KvRouter build() {
    Environment parts = RouterChecks.requireParts(this);
    RouterChecks.requireConsistent(this);
    if (makesOwnIndexer()) {
      ownIndexer = config.indexer().environment(parts).blockSize(blockSize).build();
      indexer = ownIndexer;
    }
    RouterChecks.requireIndexer(this);
    blockSize = RouterChecks.blockSize(blockSize, indexer);
    RouterChecks.requireFallback(this);
    if (indexService != null && indexer != null) {
      indexService.add(servedModel, indexer);
    }
    return new KvRouter(this, parts.random().split("kv-router"), Objects.requireNonNull(directory));
  }

  private boolean makesOwnIndexer() {
    return remoteIndex == null
        && indexer == null
        && config.needsOverlap()
        && !config.useKvEvents()
        && blockSize > 0;
  }

  /** Sets who is told what a host should know. */
  KvRouterBuilder log(Logger log) {
    this.log = log;
    return this;
  }

  Logger log() {
    return log;
  }

  @Nullable Environment environment() {
    return environment;
  }

  @Nullable WorkerDirectory directory() {
    return directory;
  }

  @Nullable IndexService indexService() {
    return indexService;
  }

  /** Returns the speeds that the host gave. */
  @Nullable WorkerSpeeds toldSpeeds() {
    return speeds;
  }

  boolean learnsSpeeds() {
    return learnsSpeeds;
  }

  boolean syncs() {
    return syncPlane != null;
  }

  KvRouterConfig config() {
    return config;
  }

  @Nullable KvIndexer indexer() {
    return indexer;
  }

  @Nullable RemoteIndex remoteIndex() {
    return remoteIndex;
  }

  @Nullable KvIndexer remoteFallback() {
    return remoteFallback;
  }

  /** Returns the index that {@link #build} made for the router itself. */
  @Nullable KvIndexer ownIndexer() {
    return ownIndexer;
  }

  @Nullable KvEventFeed eventFeed() {
    return eventFeed;
  }

  @Nullable DurableSources durableSources() {
    return durableSources;
  }

  @Nullable RoutingListener listener() {
    return listener;
  }

  int expectedPeers() {
    return expectedPeers;
  }

  InstantSource wallClock() {
    return Objects.requireNonNull(environment, "environment").wallClock();
  }

  @Nullable WorkerHealth health() {
    return health;
  }

  @Nullable LoadMonitor loadMonitor() {
    return loadMonitor;
  }

  /** Returns the account of live load, which also learns if anything predicts. */
  ActiveBlockTracker tracker(RandomSource random, NanoClock clock) {
    ActiveBlockTracker account =
        tracker != null
            ? tracker
            : ActiveBlockTracker.create(random.split("tracker").nextLong(), clock);
    learnedSpeeds = learnsSpeeds ? new LearnedSpeeds(prediction) : null;
    return asksCapacity()
        ? new ForecastingTracker(account, clock, blockSize, prediction, learnedSpeeds)
        : account;
  }

  WorkerSelector selector() {
    return selector != null ? selector : policy.selector(config, prediction);
  }

  boolean hasOwnSelector() {
    return selector != null;
  }

  /** Returns whether anything is learned, for which rows have to tell what ranks can hold. */
  boolean asksCapacity() {
    return learnsSpeeds || policy == KvPolicy.KV_PREDICTED || shadowPolicy == KvPolicy.KV_PREDICTED;
  }

  /** Returns the ranks' speeds, null if all are equal; after {@link #tracker}. */
  @Nullable WorkerSpeeds speeds() {
    return learnedSpeeds != null ? learnedSpeeds : speeds;
  }

  /** Returns where the router meets others, null if nowhere. */
  @Nullable ReplicaSyncOptions syncOptions(RandomSource random) {
    if (syncPlane == null || syncScope == null) {
      return null;
    }
    long drawnRouterId = random.nextLong();
    return new ReplicaSyncOptions(
        syncPlane,
        syncScope,
        lane("kv-router-sync"),
        wallClock(),
        routerId == null ? drawnRouterId : routerId,
        random.nextLong() & PUBLISHER_ID_BITS,
        random.nextLong());
  }

  double explainRate() {
    return explainRate;
  }

  @Nullable ShadowPolicy shadow() {
    if (shadowPolicy != null) {
      return new ShadowPolicy(shadowPolicy.selector(config, prediction));
    }
    return shadow == null ? null : new ShadowPolicy(shadow);
  }

  LeaseConfig leases() {
    return leases;
  }

  PrefillLoadModel prefillLoadModel() {
    return prefillLoadModel;
  }

  /** Returns the clock of a lane of the environment. */
  NanoClock clock() {
    return lane("kv-router").clock();
  }

  /** Returns a lane of the environment. */
  Scheduler lane(String name) {
    return lanes().lane(name);
  }

  Lanes lanes() {
    return Objects.requireNonNull(environment, "environment").lanes();
  }

  QueueConfig queue() {
    return queue;
  }

  int blockSize() {
    return blockSize;
  }
}
