// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
 * new publisher in this sense: another id, or a sequence from 0. Another id is the better one: an
 * event of the last life that is late, and the first of its publisher, passes for one of the next
 * under the same id, until a digest tells.
 *
 * <p><b>Early events.</b> Events whose worker is not registered yet, or whose rank still belongs to
 * another publisher or to the life before, wait for the directory: {@link #HOLD_NANOS} at most, and
 * at most {@link #MAX_HELD_BLOCKS} blocks of them. They are applied in order once it names the
 * worker's new life, so no order of registration and first event loses the latter. When the time is
 * up they take the rank over if its publisher has been silent since; all others are dropped and
 * counted.
 *
 * <p><b>Takeover by announcement.</b> With recovery, a publisher of this library also takes a rank
 * over by announcing its newest event on {@link #HEADS_TOPIC}, without any event of its own: if the
 * publisher that wrote the rank has been silent for {@link #HOLD_NANOS} when the announcement
 * comes, its turn is over, the rank is restored in full from its source, and the next publisher
 * heard from writes it. While the other publisher is alive an announcement changes nothing: two
 * that live are a conflict, which {@link KvEventFeedStatus#conflicts} names.
 *
 * <p><b>Loss.</b> With {@link KvEventFeedBuilder#recovery} every rank's events are followed by
 * their numbers. A new source is asked for its full state while its live events are applied
 * already. A gap, a number that goes back, a store under an unknown parent, and an announced or
 * silently lost last event all have the source asked for what is missing: recent events if it still
 * has them, else everything. Meanwhile the rank is marked in {@link KvIndexer#isStale}, other ranks
 * go on, and events that stand on their own are applied. A source that does not answer is tried
 * again after a pause and at its next event; {@link #sources} names it. Without recovery a gap in a
 * publisher's sequence is counted and the events behind it are applied: scores of its ranks may be
 * stale until the blocks come up again.
 *
 * <p><b>Threads.</b> Runs on a lane of its own; every method here may be called from any thread.
 */
public final class KvEventFeed implements AutoCloseable {
  /** The topic that is read. */
  public static final String TOPIC = "kv-events";

  /** The topic on which sources of this library announce their newest event. */
  public static final String HEADS_TOPIC = "kv-event-heads";

  /** How long events wait for the directory, in nanoseconds. */
  public static final long HOLD_NANOS = 5_000_000_000L;

  /** How many blocks of waiting events are kept; the oldest give way. */
  public static final int MAX_HELD_BLOCKS = 1 << 20;

  private static final Logger LOG = LoggerFactory.getLogger(KvEventFeed.class);

  private final Scheduler lane;
  private final FeedActivity activity;
  private final FeedState state;
  private final @Nullable FeedRecovery recovery;
  private volatile boolean closed;
  private volatile @Nullable EventSubscription events;
  private volatile @Nullable Subscription workers;
  private volatile @Nullable Subscription heads;
  private volatile @Nullable Subscription refusals;
  private boolean expiryArmed; // on the lane

  private KvEventFeed(
      Scheduler lane,
      KvIndexer indexer,
      RandomSource random,
      FeedActivity activity,
      KvEventFeedBuilder settings) {
    this.lane = lane;
    this.activity = activity;
    FeedCounters counters = new FeedCounters();
    this.recovery =
        settings.recoveryPlane() == null
            ? null
            : new FeedRecovery(indexer, lane, random, settings, counters);
    this.state = new FeedState(indexer, counters, activity, recovery);
  }

  /** Starts a builder of a feed that asks sources for what it misses. */
  public static KvEventFeedBuilder builder() {
    return new KvEventFeedBuilder();
  }

  /**
   * Starts feeding what is published, without recovery; the caller closes the feed before the
   * index.
   *
   * @param scope the endpoint whose workers publish
   */
  public static KvEventFeed connect(
      EventPlane plane,
      EventScope scope,
      WorkerDirectory directory,
      KvIndexer indexer,
      Environment environment) {
    return builder()
        .eventPlane(plane, scope)
        .directory(directory)
        .indexer(indexer)
        .environment(environment)
        .connect();
  }

  static KvEventFeed start(
      KvEventFeedBuilder settings,
      EventPlane plane,
      EventScope scope,
      WorkerDirectory directory,
      KvIndexer indexer,
      Environment environment) {
    Scheduler lane = environment.lanes().lane("kv-event-feed");
    RandomSource random = environment.random().split("kv-event-feed");
    FeedActivity activity = new FeedActivity(environment.wallClock());
    KvEventFeed feed = new KvEventFeed(lane, indexer, random, activity, settings);
    // The directory first: on one lane its snapshot then comes before the first event, and no
    // source is asked before its events are subscribed to.
    feed.workers = directory.watch(lane, feed.new Membership());
    feed.events = plane.subscribe(scope, TOPIC, lane, feed::onEnvelope);
    FeedRecovery recovery = feed.recovery;
    if (recovery != null) {
      feed.heads = plane.subscribe(scope, HEADS_TOPIC, lane, feed::onHead);
      feed.refusals = indexer.watchRefusals(lane, recovery::onRefused);
    }
    return feed;
  }

  private final class Membership implements WorkerDirectory.Listener {
    @Override
    public void added(WorkerInstance instance) {
      if (!closed) {
        state.added(instance, lane.clock().nanoTime());
      }
    }

    @Override
    public void removed(WorkerInstance instance) {
      if (!closed) {
        state.removed(instance, lane.clock().nanoTime());
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

  private void onHead(EventEnvelope envelope) {
    if (!closed) {
      state.onHead(envelope, lane.clock().nanoTime());
    }
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

  /** Returns how far the sources are known; all zero without recovery. */
  public RecoveryProgress progress() {
    return recovery == null ? new RecoveryProgress(0, 0, 0, 0, 0) : recovery.progress();
  }

  /** Returns every source by worker, with what is being done about it; empty without recovery. */
  public List<SourceStatus> sources() {
    return recovery == null ? List.of() : recovery.sources();
  }

  /** Returns what each rank's own publisher said, by rank; ranks that said nothing are missing. */
  public List<RankActivity> ranks() {
    return activity.ranks(lane.clock().nanoTime());
  }

  /** Returns what came from each publisher that is remembered, by id. */
  public List<PublisherActivity> publishers() {
    return activity.publishers(lane.clock().nanoTime());
  }

  /**
   * Begins to look for a store of a rank that begins with this block, instead of what was looked
   * for before: whoever has sent it a new prompt can tell whether both hash alike.
   *
   * @param localHash of the prompt's first block
   */
  public ExpectedStore expectStore(WorkerWithDpRank worker, long localHash) {
    return activity.expect(worker, localHash);
  }

  /** Ends subscriptions and recoveries; the index keeps what it has. Idempotent, never waits. */
  @Override
  public void close() {
    closed = true;
    close(events);
    close(workers);
    close(heads);
    close(refusals);
    FeedRecovery open = recovery;
    if (open != null) {
      try {
        lane.execute(open::close);
      } catch (RejectedExecutionException e) {
        LOG.debug("feed ends with its environment");
      }
    }
  }

  private static void close(@Nullable Subscription subscription) {
    if (subscription != null) {
      subscription.close();
    }
  }
}
