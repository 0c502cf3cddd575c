// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.plane.DurableEventLog;
import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.transport.Counts;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends events in order, one entry at a time, each as long as what has gathered meanwhile. An
 * entry whose answer does not come is repeated under its own id until it does. What finds no room
 * while the log is away is dropped as a whole; afterwards everything that the index holds is
 * written anew, so the log is whole again.
 *
 * <p>Runs on one lane.
 */
final class LogWriter {
  private static final Logger LOG = LoggerFactory.getLogger(LogWriter.class);
  private static final int EVENTS_PER_ENTRY = 256;
  private static final int BLOCKS_PER_EVENT = 1_024;
  private static final int BYTES_PER_BLOCK = 64;
  private static final int MIN_BLOCKS_PER_ENTRY = 64;
  private static final long FIRST_BACKOFF_NANOS = 100_000_000;
  private static final long MAX_BACKOFF_NANOS = 5_000_000_000L;

  private final DurableEventLog log;
  private final KvIndexer index;
  private final Scheduler lane;
  private final Environment environment;
  private final RandomSource random;
  private final long writerId;
  private final long maxPendingBlocks;
  private final Counts<DurableWriterCounter> counts = Counts.of(DurableWriterCounter.class);
  private final RankNumbers numbers = new RankNumbers();
  private final ArrayDeque<RouterEvent> rewrite = new ArrayDeque<>();
  private final ArrayDeque<RouterEvent> pending = new ArrayDeque<>();
  private final ResetWatch watch;
  private long pendingBlocks;
  private long entryNumber;
  private int blocksPerEntry = 4 * BLOCKS_PER_EVENT;
  private int failures;
  private byte @Nullable [] inFlight;
  private boolean overflowed;
  private boolean dumping;
  private boolean closed;
  private volatile @Nullable DurableLogException lastFailure;
  private volatile long waitingEvents;

  LogWriter(
      DurableEventLog log,
      KvIndexer index,
      Scheduler lane,
      Environment environment,
      long writerId,
      long maxPendingBlocks) {
    this.log = log;
    this.index = index;
    this.lane = lane;
    this.environment = environment;
    this.random = environment.random().split("durable-writer");
    this.writerId = writerId;
    this.maxPendingBlocks = maxPendingBlocks;
    this.watch = new ResetWatch(log, lane, random.split("reset-watch"), this::writeAnew);
  }

  /** Takes an event that the index has been handed just before. */
  void add(RouterEvent event) {
    if (overflowed || closed) {
      counts.add(DurableWriterCounter.DROPPED_EVENTS);
      return;
    }
    addPieces(event);
    if (pendingBlocks > maxPendingBlocks) {
      overflow();
    }
    goOn();
  }

  /** Takes what says that a worker holds nothing any more. */
  void clear(long workerId) {
    numbers.clears(workerId).forEach(this::add);
  }

  private void overflow() {
    overflowed = true;
    counts.add(DurableWriterCounter.OVERFLOWS);
    counts.add(DurableWriterCounter.DROPPED_EVENTS, pending.size());
    LOG.warn(
        "durable log does not take events in time; all that is held is written once it does:"
            + " droppedEvents={}",
        pending.size());
    dropWaiting();
  }

  private void dropWaiting() {
    pending.clear();
    rewrite.clear();
    pendingBlocks = 0;
  }

  /** What was written is void: what waits is part of all that is held, which is written instead. */
  private void writeAnew() {
    counts.add(DurableWriterCounter.RESETS);
    LOG.info("durable log was reset, or may have been; all that is held is written anew");
    overflowed = true;
    dropWaiting();
    goOn();
  }

  private void addPieces(RouterEvent event) {
    if (event.event().data() instanceof KvCacheEventData.Stored stored
        && stored.blockCount() > BLOCKS_PER_EVENT) {
      for (KvCacheEventData.Stored piece : StorePieces.of(stored, BLOCKS_PER_EVENT)) {
        addPiece(StorePieces.event(event, piece));
      }
    } else {
      addPiece(event);
    }
  }

  private void addPiece(RouterEvent event) {
    pending.add(event);
    pendingBlocks += weight(event);
  }

  /** An event takes some room even if it names no block. */
  private static int weight(RouterEvent event) {
    return 2 + event.event().data().blockCount();
  }

  /* --------------- One entry at a time --------------- */

  private void goOn() {
    waitingEvents = (long) pending.size() + rewrite.size();
    if (closed || inFlight != null || dumping) {
      return;
    }
    if (overflowed) {
      startRewrite();
      return;
    }
    List<RouterEvent> events = gather();
    if (events.isEmpty()) {
      return;
    }
    entryNumber++;
    inFlight =
        LogRecord.encode(
            new LogRecord.Events(writerId, events),
            writerId,
            entryNumber,
            environment.wallClock().millis());
    counts.add(DurableWriterCounter.EVENTS, events.size());
    send(inFlight);
  }

  private List<RouterEvent> gather() {
    List<RouterEvent> events = new ArrayList<>();
    int blocks = 0;
    while (events.size() < EVENTS_PER_ENTRY) {
      ArrayDeque<RouterEvent> from = rewrite.isEmpty() ? pending : rewrite;
      RouterEvent next = from.peek();
      if (next == null || (!events.isEmpty() && blocks + weight(next) > blocksPerEntry)) {
        return events;
      }
      from.remove();
      blocks += weight(next);
      if (from == pending) {
        pendingBlocks -= weight(next);
      }
      numbers.number(next, events);
    }
    return events;
  }

  private void send(byte[] entry) {
    log.append(Long.toHexString(writerId) + "-" + entryNumber, entry)
        .whenComplete((sequence, failure) -> onLane(() -> answered(entry, sequence, failure)));
  }

  private void answered(byte[] entry, @Nullable Long sequence, @Nullable Throwable failure) {
    if (closed) {
      return;
    }
    if (failure == null) {
      written(Objects.requireNonNull(sequence));
      return;
    }
    DurableLogException typed = DurableLogException.of(failure);
    switch (typed.reason()) {
      case TOO_LARGE -> tooLarge(entry);
      case CLOSED -> close();
      default -> retry(entry, typed);
    }
  }

  private void written(long sequence) {
    watch.written(sequence);
    inFlight = null;
    failures = 0;
    lastFailure = null;
    counts.add(DurableWriterCounter.ENTRIES);
    goOn();
  }

  /** The server takes less than an entry may have; what was lost with it is written anew. */
  private void tooLarge(byte[] entry) {
    counts.add(DurableWriterCounter.TOO_LARGE);
    inFlight = null;
    if (blocksPerEntry > MIN_BLOCKS_PER_ENTRY) {
      blocksPerEntry =
          Math.max(
              MIN_BLOCKS_PER_ENTRY, Math.min(blocksPerEntry, entry.length / BYTES_PER_BLOCK) / 2);
    }
    overflow();
    goOn();
  }

  private void retry(byte[] entry, DurableLogException failure) {
    failures++;
    counts.add(DurableWriterCounter.RETRIES);
    lastFailure = failure;
    if (failures == 1) {
      LOG.warn("durable log does not take an entry; goes on trying: {}", failure.getMessage());
    }
    long backoff = Math.min(MAX_BACKOFF_NANOS, FIRST_BACKOFF_NANOS << Math.min(failures - 1, 10));
    try {
      lane.schedule(
          () -> {
            if (!closed) {
              send(entry);
            }
          },
          backoff / 2 + (long) (random.nextDouble() * backoff / 2));
    } catch (RejectedExecutionException e) {
      LOG.debug("durable writer ends with its environment");
    }
  }

  /* --------------- Everything anew --------------- */

  private void startRewrite() {
    overflowed = false;
    dumping = true;
    watch.beginsAnew();
    counts.add(DurableWriterCounter.REWRITES);
    List<RouterEvent> held = new ArrayList<>();
    // What is added from here on comes behind the dump, as it does in the index.
    index
        .dump(event -> addPiecesTo(event, held))
        .whenComplete((done, failure) -> onLane(() -> dumped(held, failure)));
  }

  private static void addPiecesTo(RouterEvent event, List<RouterEvent> held) {
    KvCacheEventData.Stored stored = (KvCacheEventData.Stored) event.event().data();
    for (KvCacheEventData.Stored piece : StorePieces.of(stored, BLOCKS_PER_EVENT)) {
      held.add(StorePieces.event(event, piece));
    }
  }

  private void dumped(List<RouterEvent> held, @Nullable Throwable failure) {
    dumping = false;
    if (failure != null) {
      LOG.debug("index ends before it is written to the durable log", failure);
      return;
    }
    if (!overflowed) {
      rewrite.addAll(numbers.clears());
      rewrite.addAll(held);
    }
    goOn();
  }

  private void onLane(Runnable task) {
    try {
      lane.execute(task);
    } catch (RejectedExecutionException e) {
      LOG.debug("durable writer ends with its environment");
    }
  }

  void close() {
    closed = true;
    watch.close();
    pending.clear();
    rewrite.clear();
  }

  DurableWriterStatus status() {
    return new DurableWriterStatus(counts.snapshot(), waitingEvents, lastFailure);
  }
}
