// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.DecisionLease;
import io.dynamo4j.plane.WorkerInstance;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A chosen worker and the load booked on it, until {@link #close}.
 *
 * <p>The booking also ends when its worker leaves the directory, and when its request made no
 * progress for as long as {@link LeaseConfig#activeRequestExpiry} says; whatever the lease does
 * after that is harmless. Progress is an output token, however late: it brings an expired booking
 * back, so that a long request counts as long as it lives.
 *
 * <p><b>Threads.</b> Any, except that {@link #addOutputTokens} has one caller at a time.
 */
public final class RequestLease implements AutoCloseable {
  private static final AtomicIntegerFieldUpdater<RequestLease> DONE =
      AtomicIntegerFieldUpdater.newUpdater(RequestLease.class, "done");
  private static final int FREED = 1;
  private static final int PREFILL_COMPLETED = 2;
  private static final int CACHED_TOKENS_REPORTED = 4;

  private final KvRouter router;
  private final Booking booking;
  private final WorkerInstance instance;
  private final WorkerSelectionResult selection;
  private final RoutingHints routing;
  private final @Nullable DecisionRecord decision;

  /** Which of {@link #FREED} and the others has happened: a bit of each. */
  private volatile int done;

  /** Written by one thread at a time, read by whoever ends the request. */
  private volatile long outputTokens;

  private long tokensToNextBlock;
  // What the index learned of the request, and the room in the last block it knows of.
  private DecisionLease learned = DecisionLease.none();
  private long learnedRoomTokens;

  /** When the request last made progress. */
  volatile long progressNanos;

  /** Whether the booking ended for want of progress. */
  volatile boolean expired;

  // Of the list that the lease is in, and so of the router's lock.
  long listedNanos;
  boolean listed;
  @Nullable RequestLease previous;
  @Nullable RequestLease next;

  // What a listener is told.
  private final int promptTokens;
  private final long bookedNanos;
  private volatile long firstTokenNanos = -1;

  // What the router's traffic knows of the prompt; of the router's lock.
  private long firstHash;
  private int newBlocks;

  /** Whether other routers were told that the prompt still counts; of the router's lock. */
  boolean prefillPending;

  /**
   * Wraps a booking.
   *
   * @param tokensToNextBlock room in the prompt's last, partial block
   * @param routing what the caller said of the request
   * @param decision how the choice was made, null if it was not recorded
   * @param promptTokens of the request
   * @param bookedNanos when it was booked
   */
  RequestLease(
      KvRouter router,
      Booking booking,
      WorkerInstance instance,
      WorkerSelectionResult selection,
      long tokensToNextBlock,
      RoutingHints routing,
      @Nullable DecisionRecord decision,
      int promptTokens,
      long bookedNanos) {
    this.router = router;
    this.promptTokens = promptTokens;
    this.bookedNanos = bookedNanos;
    this.progressNanos = bookedNanos;
    this.booking = booking;
    this.instance = instance;
    this.selection = selection;
    this.tokensToNextBlock = tokensToNextBlock;
    this.routing = routing;
    this.decision = decision;
  }

  /** Returns what the booking is known by. */
  public BookingKey key() {
    return booking.key();
  }

  public WorkerWithDpRank worker() {
    return booking.worker();
  }

  /** Returns the record of {@link #worker} at the time of the choice. */
  public WorkerInstance instance() {
    return instance;
  }

  /** Returns what the choice was based on. */
  public WorkerSelectionResult selection() {
    return selection;
  }

  /**
   * Returns how the choice was made, null if it was not recorded; {@link
   * KvRouterBuilder#explainRate} says how many are.
   */
  public @Nullable DecisionRecord decision() {
    return decision;
  }

  /**
   * Says how many of the prompt's tokens the engine found in its cache, to be compared with what
   * the choice counted on; only the first report that is not negative counts.
   */
  public void reportCachedTokens(long tokens) {
    if (tokens >= 0 && isFirst(CACHED_TOKENS_REPORTED)) {
      router.reportCachedTokens(selection.cachedTokens(), tokens);
    }
  }

  /** Takes the prompt's tokens off the worker's load; further calls do nothing. */
  public void markPrefillCompleted() {
    if (isFirst(PREFILL_COMPLETED)) {
      progress();
      firstTokenNanos = progressNanos - bookedNanos;
      router.markPrefillCompleted(this);
    }
  }

  /**
   * Reports generated tokens. Each block that they begin counts as load if the router tracks output
   * blocks; else nothing happens. Where the request says how long its answer will be, what it holds
   * alone weighs less and less towards its end.
   *
   * @throws IllegalArgumentException if {@code count} is negative
   */
  public void addOutputTokens(int count) {
    if (count < 0) {
      router.refusals().add(RouterRefusals.Kind.INVALID);
      throw new IllegalArgumentException(
          "output tokens must not be negative: request=" + booking.key() + ", count=" + count);
    }
    progress();
    long outputSoFar = outputTokens;
    outputTokens = outputSoFar + count;
    growLearned(count);
    tokensToNextBlock -= count;
    while (tokensToNextBlock < 0 && router.addOutputBlock(this, remaining())) {
      tokensToNextBlock += router.blockSize();
    }
  }

  /** Takes on what the index learned; before the caller gets this lease. */
  void learned(DecisionLease lease) {
    learned = lease;
    learnedRoomTokens = tokensToNextBlock;
    if (learnedRoomTokens > 0) {
      lease.addOutputBlock(); // the prompt's last, partial block
    }
  }

  private void growLearned(int count) {
    learnedRoomTokens -= count;
    for (; learnedRoomTokens < 0; learnedRoomTokens += router.blockSize()) {
      learned.addOutputBlock();
    }
  }

  /** Returns the part of the answer still to come, or NaN if its length is unknown. */
  private double remaining() {
    long expectedOutputTokens = routing.expectedOutputTokens();
    if (expectedOutputTokens < 0) {
      return Double.NaN;
    }
    return Math.max(0, 1 - (double) outputTokens / Math.max(1, expectedOutputTokens));
  }

  /** Ends the booking; only the first call does anything. */
  @Override
  public void close() {
    if (isFirst(FREED)) {
      router.free(this);
      learned.close();
    } else {
      router.refusals().add(RouterRefusals.Kind.CLOSED_AGAIN);
    }
  }

  /** Notes that something happened; returns whether it had not before. */
  private boolean isFirst(int what) {
    for (int before = done; (before & what) == 0; before = done) {
      if (DONE.compareAndSet(this, before, before | what)) {
        return true;
      }
    }
    return false;
  }

  private void progress() {
    progressNanos = router.nanoTime();
    if (expired) {
      router.revive(this);
    }
  }

  /**
   * Notes what was known of the prompt when it was booked; under the router's lock.
   *
   * @param firstHash local hash of its first block
   * @param newBlocks full blocks that the worker was not known to hold
   */
  void followed(long firstHash, int newBlocks) {
    this.firstHash = firstHash;
    this.newBlocks = newBlocks;
  }

  long firstHash() {
    return firstHash;
  }

  int newBlocks() {
    return newBlocks;
  }

  Booking booking() {
    return booking;
  }

  int promptTokens() {
    return promptTokens;
  }

  /** Returns the time from booking to the first token, negative if none came. */
  long firstTokenNanos() {
    return firstTokenNanos;
  }

  /** Returns the time from booking to the last progress. */
  long lastTokenNanos() {
    return progressNanos - bookedNanos;
  }

  long outputTokens() {
    return outputTokens;
  }

  RoutingHints routing() {
    return routing;
  }

  boolean isClosed() {
    return (done & FREED) != 0;
  }

  boolean isPrefillCompleted() {
    return (done & PREFILL_COMPLETED) != 0;
  }

  @Override
  public String toString() {
    return "RequestLease[key=" + booking.key() + ", worker=" + booking.worker() + "]";
  }
}
