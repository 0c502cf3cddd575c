// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.DurableEventLog;
import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.SnapshotStore;
import io.dynamo4j.plane.transport.Counts;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the parts of a feed share: where they run, what they use, what they count. */
final class FeedCore {
  static final String CONSUMER_PREFIX = "router-";

  private static final Logger LOG = LoggerFactory.getLogger(DurableKvFeed.class);
  private static final int MAX_REFUSALS = 16;
  private static final int MAX_TEXT = 200;

  final DurableEventLog log;
  final SnapshotStore snapshots;
  final String scope;
  final long routerId;
  final DurableConfig config;
  final Environment environment;
  final Scheduler lane;
  final RandomSource random;
  final Counts<DurableFeedCounter> counts = Counts.of(DurableFeedCounter.class);

  private final ArrayDeque<String> refusals = new ArrayDeque<>();
  private volatile List<String> lastRefusals = List.of();
  private volatile @Nullable String lastFailure;
  private volatile boolean closed;
  private long controlNumber;

  FeedCore(
      DurableEventLog log,
      SnapshotStore snapshots,
      String scope,
      long routerId,
      DurableConfig config,
      Environment environment) {
    this.log = log;
    this.snapshots = snapshots;
    this.scope = scope;
    this.routerId = routerId;
    this.config = config;
    this.environment = environment;
    this.lane = environment.lanes().lane("durable-feed");
    this.random = environment.random().split("durable-feed");
  }

  long now() {
    return lane.clock().nanoTime();
  }

  boolean isClosed() {
    return closed;
  }

  void close() {
    closed = true;
  }

  /** Runs a task on the lane unless the feed has ended by then. */
  void onLane(Runnable task) {
    try {
      lane.execute(
          () -> {
            if (!closed) {
              task.run();
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("durable feed ends with its environment");
    }
  }

  void schedule(Runnable task, long nanos) {
    try {
      lane.schedule(
          () -> {
            if (!closed) {
              task.run();
            }
          },
          nanos);
    } catch (RejectedExecutionException e) {
      LOG.debug("durable feed ends with its environment");
    }
  }

  /** Goes on with what a stage brings, on the lane. */
  <T extends @Nullable Object> void then(
      CompletionStage<T> stage, BiConsumer<@Nullable T, @Nullable Throwable> next) {
    stage.whenComplete((value, failure) -> onLane(() -> next.accept(value, unwrapped(failure))));
  }

  private static @Nullable Throwable unwrapped(@Nullable Throwable failure) {
    return failure instanceof CompletionException wrapped && wrapped.getCause() != null
        ? wrapped.getCause()
        : failure;
  }

  /** Appends what routers agree on. */
  CompletionStage<Long> append(LogRecord record) {
    controlNumber++;
    return log.append(
        Long.toHexString(routerId) + "-control-" + controlNumber,
        LogRecord.encode(record, routerId, controlNumber, environment.wallClock().millis()));
  }

  void count(DurableFeedCounter counter) {
    counts.add(counter);
  }

  /** Notes that something failed; nothing is said again before it has succeeded. */
  void failed(String what, Throwable failure) {
    String text = what + ": " + safe(String.valueOf(failure.getMessage()));
    if (lastFailure == null) {
      LOG.warn("durable feed goes on trying: {}", text);
    }
    lastFailure = text;
  }

  void succeeded() {
    if (lastFailure != null) {
      LOG.info("durable feed has its log again");
      lastFailure = null;
    }
  }

  /** Notes a snapshot that is not fit to start from. */
  void refused(String name, @Nullable Throwable why) {
    count(DurableFeedCounter.SNAPSHOTS_REFUSED);
    String text =
        safe(name) + ": " + safe(why == null ? "foreign" : String.valueOf(why.getMessage()));
    LOG.warn("snapshot is refused, an older one is looked for: {}", text);
    if (refusals.size() == MAX_REFUSALS) {
      refusals.remove();
    }
    refusals.add(text);
    lastRefusals = List.copyOf(refusals);
  }

  List<String> refusals() {
    return lastRefusals;
  }

  @Nullable String lastFailure() {
    return lastFailure;
  }

  static boolean isTransient(Throwable failure) {
    return failure instanceof DurableLogException typed && typed.isTransient();
  }

  /** Returns text from outside without control characters, cut to what a log line may hold. */
  private static String safe(String text) {
    String cut = text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) : text;
    return cut.replaceAll("\\p{Cntrl}", "?");
  }
}
