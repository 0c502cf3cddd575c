// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.source;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.wire.RouterEventCodec;
import io.dynamo4j.wire.SourceHead;
import io.dynamo4j.wire.WireFormatException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One rank's source of KV events, for workers that run in a JVM: takes what the engine reports,
 * records it in a {@link LocalKvIndexer}, publishes it, answers routers that missed some, and
 * announces again and again how far it has come, so that a lost last event is noticed in silence.
 *
 * <p><b>Threads.</b> Any. Everything happens on a lane of its own, in the order handed in, so that
 * an event is recorded before anybody can ask for it.
 */
public final class KvEventSource implements RequestHandler<byte[], byte[]>, AutoCloseable {
  /** How often the newest number is announced unless the builder says otherwise. */
  public static final Duration DEFAULT_ANNOUNCEMENT_INTERVAL = Duration.ofSeconds(1);

  /** One of so many announcements carries a digest of what is held. */
  public static final int ANNOUNCEMENTS_A_DIGEST = 10;

  private final Scheduler lane;
  private final LocalKvIndexer local;
  private final EventPublisher events;
  private final EventPublisher heads;
  private final long announcementNanos;
  private @Nullable ServedEndpoint endpoint;
  private @Nullable Cancellable nextAnnouncement; // on the lane
  private int announcements; // on the lane
  private volatile boolean closed;

  private KvEventSource(Builder builder, EventPlane plane, EventScope scope, Environment env) {
    this.lane = env.lanes().lane("kv-event-source");
    this.local = builder.local.seed(env.random().split("local-kv-indexer").nextLong()).build();
    this.events = plane.publisher(scope, KvEventFeed.TOPIC, builder.publisherId);
    this.heads = plane.publisher(scope, KvEventFeed.HEADS_TOPIC, builder.publisherId);
    this.announcementNanos = builder.announcementNanos;
  }

  /**
   * Starts a builder; plane, scope and environment are required.
   *
   * @param publisherId unsigned, unique among living publishers of the scope, another in each life
   */
  public static Builder builder(WorkerWithDpRank worker, long publisherId) {
    return new Builder(worker, publisherId);
  }

  /**
   * Publishes changes of the device's cache in this order; numbers and rank become the source's.
   */
  public void publish(List<KvCacheEvent> changes) {
    List<KvCacheEventData> data = changes.stream().map(KvCacheEvent::data).toList();
    publish(StorageTier.DEVICE, data);
  }

  /** Publishes changes of one tier's cache, in this order, as one message. */
  public void publish(StorageTier tier, List<KvCacheEventData> changes) {
    lane.execute(() -> publishNow(tier, changes));
  }

  private void publishNow(StorageTier tier, List<KvCacheEventData> changes) {
    List<RouterEvent> recorded = new ArrayList<>(changes.size());
    for (KvCacheEventData change : changes) {
      local.record(tier, change).ifPresent(recorded::add);
    }
    if (!closed && !recorded.isEmpty()) {
      events.publish(RouterEventCodec.encode(recorded));
    }
  }

  /** Says how far this source has come, now and not only at the next regular time. */
  public void announce() {
    lane.execute(this::announceNow);
  }

  private void announceNow() {
    if (!closed) {
      OptionalLong digest =
          announcements++ % ANNOUNCEMENTS_A_DIGEST == 0
              ? OptionalLong.of(local.digest().total())
              : OptionalLong.empty();
      heads.publish(
          new SourceHead(local.worker(), local.lastEventId(), local.blockCount(), digest).encode());
    }
  }

  private void announceAndRearm() {
    if (!closed) {
      announceNow();
      nextAnnouncement = lane.schedule(this::announceAndRearm, announcementNanos);
    }
  }

  /** Answers one recovery query; for planes that serve what the builder was not given. */
  @Override
  public void handle(String requestId, byte[] query, ResponseSink<byte[]> sink) {
    lane.execute(() -> answer(query, sink));
  }

  private void answer(byte[] query, ResponseSink<byte[]> sink) {
    if (closed) {
      sink.fail(new DynamoException(ErrorType.ENGINE_SHUTDOWN, "source of events is closed"));
      return;
    }
    try {
      local.answer(query, sink::next);
      sink.complete();
    } catch (WireFormatException e) {
      sink.fail(
          new DynamoException(
              ErrorType.BACKEND_INVALID_ARGUMENT, "recovery query is not readable: " + e));
    }
  }

  /** Ends publishing, announcements and answers; idempotent, never waits. */
  @Override
  public void close() {
    closed = true;
    events.close();
    heads.close();
    ServedEndpoint served = endpoint;
    if (served != null) {
      served.close();
    }
    lane.execute(
        () -> {
          if (nextAnnouncement != null) {
            nextAnnouncement.cancel();
          }
        });
  }

  /** Builds a {@link KvEventSource}. */
  public static final class Builder {
    private final LocalKvIndexer.Builder local;
    private final long publisherId;
    private @Nullable EventPlane eventPlane;
    private @Nullable EventScope scope;
    private @Nullable Environment environment;
    private @Nullable RequestPlane<byte[], byte[]> requestPlane;
    private @Nullable WorkerInstance endpoint;
    private long announcementNanos = DEFAULT_ANNOUNCEMENT_INTERVAL.toNanos();

    private Builder(WorkerWithDpRank worker, long publisherId) {
      this.local = LocalKvIndexer.builder(worker);
      this.publisherId = publisherId;
    }

    /** Sets where events and announcements are published. */
    public Builder eventPlane(EventPlane plane, EventScope scope) {
      this.eventPlane = Objects.requireNonNull(plane, "plane");
      this.scope = Objects.requireNonNull(scope, "scope");
      return this;
    }

    public Builder environment(Environment environment) {
      this.environment = Objects.requireNonNull(environment, "environment");
      return this;
    }

    /** Serves recovery queries at this endpoint; nowhere unless set. */
    public Builder serveRecovery(RequestPlane<byte[], byte[]> plane, WorkerInstance endpoint) {
      this.requestPlane = Objects.requireNonNull(plane, "plane");
      this.endpoint = Objects.requireNonNull(endpoint, "endpoint");
      return this;
    }

    /** Sets {@link LocalKvIndexer.Builder#ringEvents}. */
    public Builder ringEvents(int events) {
      local.ringEvents(events);
      return this;
    }

    /**
     * Sets after how many blocks a part of everything ends, for routers that take it in parts;
     * {@link LocalKvIndexer#DEFAULT_PART_BLOCKS} unless set.
     *
     * @throws IllegalArgumentException if not positive
     */
    public Builder partBlocks(int blocks) {
      local.partBlocks(blocks);
      return this;
    }

    /**
     * Sets how often the newest number is announced.
     *
     * @throws IllegalArgumentException if not positive
     */
    public Builder announcementInterval(Duration interval) {
      if (interval.isNegative() || interval.isZero()) {
        throw new IllegalArgumentException("interval must be positive: interval=" + interval);
      }
      this.announcementNanos = interval.toNanos();
      return this;
    }

    /**
     * Starts the source; the caller closes it.
     *
     * @throws IllegalStateException if a required setting is missing
     */
    public KvEventSource start() {
      if (eventPlane == null || scope == null || environment == null) {
        throw new IllegalStateException(
            "source needs plane and environment: eventPlane="
                + (eventPlane == null ? "missing" : "set")
                + ", environment="
                + (environment == null ? "missing" : "set"));
      }
      KvEventSource source = new KvEventSource(this, eventPlane, scope, environment);
      if (requestPlane != null && endpoint != null) {
        source.endpoint = requestPlane.serve(endpoint, source);
      }
      source.lane.execute(source::announceAndRearm);
      return source;
    }
  }
}
