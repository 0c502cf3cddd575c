// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Leads the {@code kv-events} of an event plane into an index, for registered workers only.
 *
 * <p><b>Who may write.</b> An event counts if the directory names its worker and the worker
 * declares its rank. Each rank is written by one publisher, the first that it is heard from.
 *
 * <p><b>Lives.</b> When a worker is unregistered, or replaced by another incarnation, what its
 * ranks held is forgotten, and what its old publishers still send is dropped; the same incarnation
 * coming back is the same life. A publisher whose sequence starts again has restarted: what its
 * ranks held is forgotten at once, and what it sends belongs to a new life. A new life must be a
 * new publisher in this sense: another id, or a sequence from 0.
 *
 * <p><b>Early events.</b> Events whose worker is not registered yet, or whose rank still belongs to
 * another publisher or to the life before, wait for the directory: {@link #HOLD_NANOS} at most, and
 * at most {@link #MAX_HELD_BLOCKS} blocks of them. They are applied in order once it names the
 * worker's new life, so no order of registration and first event loses the latter. When the time is
 * up they take the rank over if its publisher has been silent since; all others are dropped and
 * counted.
 *
 * <p><b>Loss.</b> A gap in a publisher's sequence is counted and the events behind it are applied:
 * scores of its ranks may be stale until the blocks come up again.
 *
 * <p><b>Threads.</b> Runs on a lane of its own; every method here may be called from any thread.
 */
public final class KvEventFeed implements AutoCloseable {
  /** The topic that is read. */
  public static final String TOPIC = "kv-events";

  /** How long events wait for the directory, in nanoseconds. */
  public static final long HOLD_NANOS = 5_000_000_000L;

  /** How many blocks of waiting events are kept; the oldest give way. */
  public static final int MAX_HELD_BLOCKS = 1 << 20;

  private final Scheduler lane;
  private final FeedState state;
  private volatile boolean closed;
  private volatile @Nullable EventSubscription events;
  private volatile @Nullable Subscription workers;
  private boolean expiryArmed; // on the lane

  private KvEventFeed(Scheduler lane, KvIndexer indexer) {
    this.lane = lane;
    this.state = new FeedState(indexer);
  }

  /**
   * Starts feeding; the caller closes the feed before the index.
   *
   * @param scope the endpoint whose workers publish
   */
  public static KvEventFeed connect(
      EventPlane plane,
      EventScope scope,
      WorkerDirectory directory,
      KvIndexer indexer,
      Environment environment) {
    Objects.requireNonNull(indexer, "indexer");
    Scheduler lane = environment.lanes().lane("kv-event-feed");
    KvEventFeed feed = new KvEventFeed(lane, indexer);
    // The directory first: on one lane its snapshot then comes before the first event.
    feed.workers = directory.watch(lane, feed.new Membership());
    feed.events = plane.subscribe(scope, TOPIC, lane, feed::onEnvelope);
    return feed;
  }

  private final class Membership implements WorkerDirectory.Listener {
    @Override
    public void added(WorkerInstance instance) {
      if (!closed) {
        state.added(instance);
      }
    }

    @Override
    public void removed(WorkerInstance instance) {
      if (!closed) {
        state.removed(instance);
      }
    }
  }

  private void onEnvelope(EventEnvelope envelope) {
    if (closed) {
      return;
    }
    state.onEnvelope(envelope, lane.clock().nanoTime());
    armExpiry();
  }

  private void armExpiry() {
    if (!expiryArmed && state.holdsEvents()) {
      expiryArmed = true;
      lane.schedule(this::expire, HOLD_NANOS);
    }
  }

  private void expire() {
    expiryArmed = false;
    if (!closed) {
      state.expire(lane.clock().nanoTime() - HOLD_NANOS);
      armExpiry();
    }
  }

  /** Returns counters as of now; they never go back. */
  public KvEventFeedStatus status() {
    EventSubscription subscription = events;
    return state.status(subscription == null ? 0 : subscription.droppedCount());
  }

  /** Ends both subscriptions; the index keeps what it has. Idempotent, never waits. */
  @Override
  public void close() {
    closed = true;
    EventSubscription subscription = events;
    if (subscription != null) {
      subscription.close();
    }
    Subscription watch = workers;
    if (watch != null) {
      watch.close();
    }
  }
}
