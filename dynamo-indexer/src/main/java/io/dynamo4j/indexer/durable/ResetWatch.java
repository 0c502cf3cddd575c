// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.DurableEventLog;
import io.dynamo4j.plane.LogEntry;
import io.dynamo4j.plane.LogFacts;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Notices that what a writer has written is void: somebody has reset the log, or another log stands
 * under its name. A reset leaves its mark as the oldest entry; so the writer looks now and then
 * which that is, and reads it where it has changed. Routers purge no entry that is younger than
 * {@link #MARK_NANOS}, unless told otherwise; where entries have come and gone since a look that is
 * longer ago, a mark may have been among them, and what was written counts as void too.
 *
 * <p>Runs on the writer's lane.
 */
final class ResetWatch {
  /** How long a mark is to be seen at least. */
  static final long MARK_NANOS = 15_000_000_000L;

  private static final long INTERVAL_NANOS = 5_000_000_000L;

  /** Whoever writes anew for a mere doubt fills a log that is too small once more. */
  private static final long FIRST_DOUBT_NANOS = 60_000_000_000L;

  private static final long MAX_DOUBT_NANOS = 3_600_000_000_000L;

  private final DurableEventLog log;
  private final Scheduler lane;
  private final RandomSource random;
  private final Runnable onVoid;
  private long writtenFrom;
  private long writtenThrough;
  private long seenFirst;
  private long seenLast;
  private long seenNanos;
  private long judgedFirst;
  private long doubtPause;
  private long lastDoubtNanos;
  private boolean armed;
  private boolean closed;

  /**
   * Makes a watch, which looks at nothing before the first entry is written.
   *
   * @param onVoid is called on the lane once all that is held is to be written anew
   */
  ResetWatch(DurableEventLog log, Scheduler lane, RandomSource random, Runnable onVoid) {
    this.log = log;
    this.lane = lane;
    this.random = random;
    this.onVoid = onVoid;
  }

  /** Notes an entry that the log has acknowledged. */
  void written(long sequence) {
    if (writtenFrom == 0) {
      writtenFrom = sequence;
    }
    if (seenLast == 0) {
      seenLast = sequence;
      seenNanos = lane.clock().nanoTime();
    }
    writtenThrough = Math.max(writtenThrough, sequence);
    if (!armed) {
      armed = true;
      arm();
    }
  }

  /** What is written from now on stands for all that is held. */
  void beginsAnew() {
    writtenFrom = 0;
    // An entry whose answer comes late may stand before the mark that is known.
    judgedFirst = 0;
  }

  void close() {
    closed = true;
  }

  private void arm() {
    try {
      long jitter = (long) (random.nextDouble() * INTERVAL_NANOS / 5);
      lane.schedule(this::look, INTERVAL_NANOS - INTERVAL_NANOS / 10 + jitter);
    } catch (RejectedExecutionException ended) {
      closed = true;
    }
  }

  private void look() {
    // What is acknowledged while the answer is on its way says nothing of it.
    long through = writtenThrough;
    long now = lane.clock().nanoTime();
    then(log.facts(), facts -> judge(facts, through, now));
  }

  /** Goes on with what comes, or looks again later. */
  private <T> void then(CompletionStage<T> stage, Consumer<T> next) {
    if (closed) {
      return;
    }
    stage.whenComplete(
        (value, failure) -> {
          try {
            lane.execute(() -> goOn(failure == null ? value : null, next));
          } catch (RejectedExecutionException ended) {
            closed = true;
          }
        });
  }

  private <T> void goOn(@Nullable T value, Consumer<T> next) {
    if (closed) {
      return;
    }
    if (value == null) {
      arm();
    } else {
      next.accept(value);
    }
  }

  private void judge(LogFacts facts, long through, long askedNanos) {
    if (facts.lastSequence() < through || facts.firstSequence() < seenFirst) {
      // Numbers never go back in one log.
      writtenThrough = 0;
      declareVoid(facts, askedNanos);
    } else if (writtenFrom == 0
        || facts.firstSequence() <= writtenFrom
        || facts.firstSequence() == judgedFirst) {
      moveOn(facts, askedNanos);
    } else if (facts.entries() == 0) {
      judgeOldest(facts, false, askedNanos);
    } else {
      then(log.entryAt(facts.firstSequence()), oldest -> judgeOldest(facts, oldest, askedNanos));
    }
  }

  private void judgeOldest(LogFacts facts, Optional<LogEntry> oldest, long askedNanos) {
    if (oldest.isEmpty()) {
      // It has gone meanwhile.
      arm();
    } else {
      boolean isMark = LogRecord.decode(oldest.get().payload()) instanceof LogRecord.Reset;
      judgeOldest(facts, isMark, askedNanos);
    }
  }

  private void judgeOldest(LogFacts facts, boolean isMark, long askedNanos) {
    // Of an empty log that is the number of the next, which may be a mark.
    judgedFirst = facts.entries() == 0 ? 0 : facts.firstSequence();
    boolean mayHaveMissed =
        facts.firstSequence() > seenLast + 1 && askedNanos - seenNanos >= MARK_NANOS;
    if (isMark || (mayHaveMissed && mayDoubt())) {
      declareVoid(facts, askedNanos);
    } else if (mayHaveMissed) {
      judgedFirst = 0;
      arm();
    } else {
      moveOn(facts, askedNanos);
    }
  }

  private boolean mayDoubt() {
    long now = lane.clock().nanoTime();
    if (doubtPause > 0 && now - lastDoubtNanos < doubtPause) {
      return false;
    }
    lastDoubtNanos = now;
    doubtPause = doubtPause == 0 ? FIRST_DOUBT_NANOS : Math.min(MAX_DOUBT_NANOS, 2 * doubtPause);
    return true;
  }

  private void declareVoid(LogFacts facts, long askedNanos) {
    moveOn(facts, askedNanos);
    onVoid.run();
  }

  private void moveOn(LogFacts facts, long askedNanos) {
    seenFirst = facts.firstSequence();
    seenLast = facts.lastSequence();
    seenNanos = askedNanos;
    arm();
  }
}
