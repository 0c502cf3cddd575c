// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.micrometer;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.kvrouter.CacheAccuracy;
import io.dynamo4j.kvrouter.KvRouter;
import io.dynamo4j.kvrouter.RouterRefusals;
import io.dynamo4j.kvrouter.RoutingEvent;
import io.dynamo4j.kvrouter.RoutingListener;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.WorkerDirectory;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * One router's requests, queue and health as meters, with the names, labels and buckets of Dynamo's
 * router.
 *
 * <pre>{@code
 * RouterMetrics metrics = RouterMetrics.builder(registry).model("m").build();
 * KvRouter router = KvRouter.builder()….listener(metrics).build();
 * metrics.observe(router);
 * }</pre>
 *
 * <p>Every series of requests is there from the start, at 0. The registry is the host's and is not
 * closed here; it holds the router weakly.
 *
 * <p><b>Threads.</b> Thread-safe. Cost: nothing per token, a few additions per request.
 */
public final class RouterMetrics implements RoutingListener {
  private static final String COMPONENT = "dynamo.component.router.";
  private static final String OVERHEAD = "dynamo.router.overhead.";

  /** Names that Dynamo does not have stand under the project's own. */
  private static final String OWN = "dynamo4j.router.";

  private static final double NANOS_PER_MILLI = 1e6;

  private final MeterRegistry registry;
  private final Tags routerTags;
  private final Tags modelTags;
  private final Tags workerTags;
  private final Tags endpoint;
  private final LastTimes lastTimes = new LastTimes();
  private final Counter started;
  private final Counter finished;
  private final Counter nonMaxOverlap;
  private final Timer firstToken;
  private final Timer interToken;
  private final DistributionSummary inputTokens;
  private final DistributionSummary outputTokens;
  private final BucketedSummary hitRate;
  private final DistributionSummary blocksLost;
  private final BucketedSummary blockHashing;
  private final BucketedSummary sequenceHashing;
  private final BucketedSummary findMatches;
  private final BucketedSummary scheduling;
  private final BucketedSummary total;

  private RouterMetrics(Builder builder) {
    this.registry = builder.registry;
    this.routerTags = builder.tags.and("router_id", builder.routerId);
    Tags typed = routerTags.and("worker_type", builder.workerType);
    this.modelTags =
        builder.tags.and("model", builder.model).and("worker_type", builder.workerType);
    this.workerTags = builder.tags.and("worker_type", builder.workerType);
    this.endpoint = builder.endpoint;
    this.started = counter("requests.started", "Requests booked", routerTags);
    this.finished = counter("requests", "Requests that ended after they were booked", routerTags);
    this.nonMaxOverlap =
        counter("non.max.overlap.selections", "Choices of a rank that had less cached", typed);
    this.firstToken = timer("time.to.first.token", LogBuckets.between(0.001, 480, 18));
    this.interToken = timer("inter.token.latency", LogBuckets.between(0.001, 2, 13));
    this.inputTokens =
        summary("input.sequence.tokens", routerTags, LogBuckets.between(50, 128_000, 12));
    this.outputTokens =
        summary("output.sequence.tokens", routerTags, LogBuckets.between(50, 32_000, 10));
    this.blocksLost = summary("overlap.blocks.lost", typed, LogBuckets.powers("0.25", 2, 16));
    this.hitRate =
        bucketed(COMPONENT + "kv.hit.rate", "kv.hit.rate", LogBuckets.linear("0.05", 20));
    double[] hashing = LogBuckets.powers("0.001", 2, 15);
    this.blockHashing = overhead("block.hashing.ms", hashing);
    this.sequenceHashing = overhead("seq.hashing.ms", hashing);
    double[] steps = LogBuckets.powers("0.01", 3, 17);
    this.findMatches = overhead("indexer.find.matches.ms", steps);
    this.scheduling = overhead("scheduling.ms", steps);
    this.total = overhead("total.ms", steps);
  }

  public static Builder builder(MeterRegistry registry) {
    return new Builder(registry);
  }

  private Counter counter(String name, String description, Tags tags) {
    return Counter.builder(COMPONENT + name).description(description).tags(tags).register(registry);
  }

  private Timer timer(String name, double[] seconds) {
    Duration[] bounds = new Duration[seconds.length];
    for (int i = 0; i < bounds.length; i++) {
      bounds[i] = Duration.ofNanos(Math.round(seconds[i] * 1e9));
    }
    return Timer.builder(COMPONENT + name)
        .serviceLevelObjectives(bounds)
        .tags(routerTags)
        .register(registry);
  }

  private DistributionSummary summary(String name, Tags tags, double... bounds) {
    return DistributionSummary.builder(COMPONENT + name)
        .serviceLevelObjectives(bounds)
        .tags(tags)
        .register(registry);
  }

  private BucketedSummary overhead(String part, double... bounds) {
    return bucketed(OVERHEAD + part, "overhead." + part, bounds);
  }

  /** Registers what is a fraction, its buckets by a name of the project's own. */
  private BucketedSummary bucketed(String name, String ownName, double... bounds) {
    return BucketedSummary.register(registry, name, OWN + ownName + ".within", routerTags, bounds);
  }

  /** Reads from a router what no event tells: its queue, health and accuracy. */
  public void observe(KvRouter router) {
    Objects.requireNonNull(router, "router");
    QueueMeters.bind(registry, router, modelTags);
    HealthMeters.bind(registry, router, routerTags, modelTags.and(endpoint));
    gauge(OWN + "bookings", routerTags, router, KvRouter::bookingCount);
    for (RouterRefusals.Kind kind : RouterRefusals.Kind.values()) {
      Meters.of(registry, OWN, router, routerTags.and("reason", Meters.label(kind)))
          .count("refusals", r -> r.refusals().count(kind));
    }
    FunctionCounter.builder(OWN + "remote.fallbacks", router, KvRouter::remoteFallbacks)
        .description("Lookups elsewhere that failed and were answered by own predictions")
        .tags(routerTags)
        .register(registry);
    count("cache.reports", router, CacheAccuracy::reports);
    count("cache.predicted.tokens", router, CacheAccuracy::predictedTokens);
    count("cache.reported.tokens", router, CacheAccuracy::reportedTokens);
    count("cache.error.tokens", router, CacheAccuracy::absoluteErrorTokens);
  }

  /**
   * Shows what a router knows of the others with which it shares bookings.
   *
   * @throws IllegalStateException if it shares none
   */
  public void observeReplicaSync(KvRouter router) {
    ReplicaMeters.bind(registry, router, routerTags);
  }

  /**
   * Shows each worker of a directory: what the router has booked on its ranks, and the last times
   * that the router's requests had there. Series go with their worker.
   *
   * @param lane on which the directory is followed
   */
  public WorkerMetrics observeWorkers(KvRouter router, WorkerDirectory directory, Scheduler lane) {
    return new WorkerMetrics(registry, router, directory, lane, workerTags, lastTimes);
  }

  private void gauge(String name, Tags tags, KvRouter router, ToDoubleFunction<KvRouter> value) {
    Gauge.builder(name, router, value).tags(tags).register(registry);
  }

  private void count(String name, KvRouter router, ToDoubleFunction<CacheAccuracy> value) {
    FunctionCounter.builder(OWN + name, router, r -> value.applyAsDouble(r.cacheAccuracy()))
        .tags(routerTags)
        .register(registry);
  }

  @Override
  public void onEvent(RoutingEvent event) {
    if (event instanceof RoutingEvent.Booked booked) {
      booked(booked);
    } else if (event instanceof RoutingEvent.Ended ended) {
      ended(ended);
    } else if (event instanceof RoutingEvent.Rejected rejected) {
      rejected(rejected);
    }
  }

  private void booked(RoutingEvent.Booked booked) {
    started.increment();
    inputTokens.record(booked.promptTokens());
    if (booked.promptTokens() > 0) {
      hitRate.record((double) booked.cachedTokens() / booked.promptTokens());
    }
    double lost = booked.bestOverlapBlocks() - booked.overlapBlocks();
    if (lost > 0) {
      nonMaxOverlap.increment();
      blocksLost.record(lost);
    }
    blockHashing.record(booked.blockHashNanos() / NANOS_PER_MILLI);
    sequenceHashing.record(booked.sequenceHashNanos() / NANOS_PER_MILLI);
    findMatches.record(booked.lookupNanos() / NANOS_PER_MILLI);
    scheduling.record(booked.decisionNanos() / NANOS_PER_MILLI);
    total.record(booked.totalNanos() / NANOS_PER_MILLI);
  }

  private void ended(RoutingEvent.Ended ended) {
    finished.increment();
    lastTimes.ended(ended);
    if (ended.firstTokenNanos() >= 0) {
      firstToken.record(ended.firstTokenNanos(), TimeUnit.NANOSECONDS);
    }
    if (ended.outputTokens() > 0) {
      outputTokens.record((double) ended.outputTokens());
    }
    if (ended.outputTokens() > 1 && ended.firstTokenNanos() >= 0) {
      long nanos = ended.lastTokenNanos() - ended.firstTokenNanos();
      interToken.record(nanos / (ended.outputTokens() - 1), TimeUnit.NANOSECONDS);
    }
  }

  private void rejected(RoutingEvent.Rejected rejected) {
    QueueMeters.backpressure(registry, modelTags, rejected.policyClass(), rejected.limit())
        .increment();
  }

  /** Builds {@link RouterMetrics}. */
  public static final class Builder {
    private final MeterRegistry registry;
    private String routerId = "0";
    private String model = BoundedLabels.NONE;
    private String workerType = "decode";
    private Tags endpoint = endpoint(BoundedLabels.NONE, BoundedLabels.NONE, BoundedLabels.NONE);
    private Tags tags = Tags.empty();

    private Builder(MeterRegistry registry) {
      this.registry = Objects.requireNonNull(registry, "registry");
    }

    /** Sets what tells this router from others, unsigned; default 0. */
    public Builder routerId(long id) {
      this.routerId = Long.toUnsignedString(id);
      return this;
    }

    /** Sets the model whose workers are chosen from; default {@code unknown}. */
    public Builder model(String model) {
      this.model = new BoundedLabels(1).labelOf(model);
      return this;
    }

    /** Sets what the workers do; default {@code decode}, as Dynamo calls those that do all. */
    public Builder workerType(String type) {
      this.workerType = Objects.requireNonNull(type, "type");
      return this;
    }

    /** Sets which endpoint the workers serve, for the one gauge that says so; default unknown. */
    public Builder endpoint(EventScope.Endpoint scope) {
      this.endpoint = endpoint(scope.namespace(), scope.component(), scope.endpoint());
      return this;
    }

    private static Tags endpoint(String namespace, String component, String name) {
      return Tags.of(
          "target_namespace", namespace, "target_component", component, "target_endpoint", name);
    }

    /** Adds a tag to every meter. */
    public Builder tag(String key, String value) {
      this.tags = tags.and(key, value);
      return this;
    }

    public RouterMetrics build() {
      return new RouterMetrics(this);
    }
  }
}
