// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.indexer.DurableSources;
import io.dynamo4j.plane.DurableEventLog;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.LogEntry;
import io.dynamo4j.plane.LogFacts;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;

/**
 * Tells a router that listens to live events, and does not read a durable log, which ranks write to
 * the log and are not heard live: what they report goes where the router does not read, and its
 * health names them.
 *
 * <p>It looks at some of the newest entries every five seconds, no more than {@value #MAX_SAMPLES},
 * and registers no reader, so nothing in the log waits for it. A rank is named that was found in
 * the log and has not been heard for 20 seconds then; with more than some hundred writers it may
 * take longer than a minute until each has been found.
 *
 * <p><b>Threads.</b> Runs on a lane of its own; every method may be called from any thread.
 */
public final class DurableLogWatch implements AutoCloseable {
  /** How many entries are looked at in one go at most. */
  public static final int MAX_SAMPLES = 32;

  private static final long INTERVAL_NANOS = 5_000_000_000L;

  private final DurableEventLog log;
  private final Scheduler lane;
  private final OneSidedRanks ranks;
  private final LivePublishers publishers;
  private final Subscription directory;
  private long seenLast;
  private volatile boolean closed;

  private DurableLogWatch(
      DurableEventLog log,
      EventPlane plane,
      EventScope scope,
      WorkerDirectory workers,
      DurableSources sources,
      Environment environment) {
    this.log = log;
    this.lane = environment.lanes().lane("durable-log-watch");
    this.ranks = new OneSidedRanks(sources);
    long seed = environment.random().split("durable-log-watch").nextLong();
    this.publishers =
        new LivePublishers(
            plane, scope, lane, seed, rank -> ranks.here(rank, lane.clock().nanoTime()));
    this.directory = workers.watch(lane, new Forgetting());
  }

  /**
   * Starts watching.
   *
   * @param log is neither written nor read from in order; the caller closes it after the watch
   * @param plane where the router hears live events, in this scope
   * @param workers whoever it no longer names is forgotten
   * @param sources is told, and given to the router
   * @throws IllegalArgumentException if the router reads the log: its feed watches
   */
  public static DurableLogWatch start(
      DurableEventLog log,
      EventPlane plane,
      EventScope scope,
      WorkerDirectory workers,
      DurableSources sources,
      Environment environment) {
    if (sources.readsLog()) {
      throw new IllegalArgumentException("sources must be those of a router that reads no log");
    }
    DurableLogWatch watch =
        new DurableLogWatch(
            Objects.requireNonNull(log, "log"),
            Objects.requireNonNull(plane, "plane"),
            Objects.requireNonNull(scope, "scope"),
            Objects.requireNonNull(workers, "workers"),
            sources,
            environment);
    watch.arm();
    return watch;
  }

  private void arm() {
    try {
      lane.schedule(this::look, INTERVAL_NANOS);
    } catch (RejectedExecutionException ended) {
      closed = true;
    }
  }

  private void look() {
    if (closed) {
      return;
    }
    log.facts()
        .whenComplete(
            (facts, failure) ->
                onLane(
                    () -> {
                      if (failure == null) {
                        sample(facts);
                      }
                      ranks.check(lane.clock().nanoTime());
                      arm();
                    }));
  }

  /** Takes entries that have come since the last look, as far apart as there are too many. */
  private void sample(LogFacts facts) {
    long last = facts.lastSequence();
    long from = Math.max(facts.firstSequence(), seenLast > last ? 1 : seenLast + 1);
    long step = Math.max(1, (last - from) / MAX_SAMPLES + 1);
    for (long sequence = last; sequence >= from; sequence -= step) {
      log.entryAt(sequence)
          .whenComplete(
              (entry, failure) -> {
                if (failure == null) {
                  entry.ifPresent(found -> onLane(() -> found(found)));
                }
              });
    }
    seenLast = last;
  }

  private void found(LogEntry entry) {
    if (LogRecord.decode(entry.payload()) instanceof LogRecord.Events events) {
      long now = lane.clock().nanoTime();
      events.events().forEach(event -> ranks.elsewhere(event.worker(), now));
    }
  }

  private void onLane(Runnable task) {
    try {
      lane.execute(
          () -> {
            if (!closed) {
              task.run();
            }
          });
    } catch (RejectedExecutionException ended) {
      closed = true;
    }
  }

  /** Ends watching; what was told stays. Idempotent. */
  @Override
  public void close() {
    closed = true;
    directory.close();
    publishers.close();
  }

  /** Forgets workers that are gone. */
  private final class Forgetting implements WorkerDirectory.Listener {
    @Override
    public void added(WorkerInstance instance) {
      // It will be heard, or found.
    }

    @Override
    public void removed(WorkerInstance instance) {
      ranks.forget(instance.workerId());
    }
  }
}
