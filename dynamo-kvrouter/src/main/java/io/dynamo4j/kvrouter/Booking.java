// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Load that one attempt puts on one rank from its choice to its end.
 *
 * <p>The hashes are not copied: whoever books hands them over and nobody writes to them again.
 */
public final class Booking {
  private final BookingKey key;
  private final WorkerWithDpRank worker;
  private final long[] sequenceHashes;
  private final int blockCount;
  private final long prefillTokens;
  private final long expectedPrefillNanos;

  // What a prediction is told, and what it remembers; of the router's lock.
  private long promptTokens = -1;
  private long missTokens;
  private boolean own;
  private int place = -1;
  private long outputTokens;
  @Nullable BookingTimes times;

  private Booking(
      BookingKey key,
      WorkerWithDpRank worker,
      long[] sequenceHashes,
      int blockCount,
      long prefillTokens,
      long expectedPrefillNanos) {
    this.key = Objects.requireNonNull(key, "key");
    this.worker = Objects.requireNonNull(worker, "worker");
    this.sequenceHashes = sequenceHashes;
    Objects.checkFromIndexSize(0, blockCount, sequenceHashes.length);
    this.blockCount = blockCount;
    this.prefillTokens = prefillTokens;
    this.expectedPrefillNanos = expectedPrefillNanos;
    this.missTokens = prefillTokens > 0 ? prefillTokens : -1;
  }

  /**
   * Describes a booking.
   *
   * @param sequenceHashes sequence hashes of the prompt's full blocks, in order
   * @param blockCount how many of them count, 0 where blocks are not tracked
   * @param prefillTokens prompt tokens that the rank has to compute, 0 where they are not tracked
   * @throws IllegalArgumentException if the tokens are negative
   * @throws IndexOutOfBoundsException if there are fewer hashes than blocks
   */
  public static Booking of(
      BookingKey key,
      WorkerWithDpRank worker,
      long[] sequenceHashes,
      int blockCount,
      long prefillTokens) {
    return of(key, worker, sequenceHashes, blockCount, prefillTokens, -1);
  }

  /**
   * Describes a booking whose prompt is expected to take a known time.
   *
   * @param expectedPrefillNanos how long the rank computes the prompt, negative if unknown
   * @throws IllegalArgumentException if the tokens are negative
   * @throws IndexOutOfBoundsException if there are fewer hashes than blocks
   */
  public static Booking of(
      BookingKey key,
      WorkerWithDpRank worker,
      long[] sequenceHashes,
      int blockCount,
      long prefillTokens,
      long expectedPrefillNanos) {
    if (prefillTokens < 0) {
      throw new IllegalArgumentException(
          "prefill tokens must not be negative: request=" + key + ", tokens=" + prefillTokens);
    }
    return new Booking(
        key, worker, sequenceHashes, blockCount, prefillTokens, expectedPrefillNanos);
  }

  public BookingKey key() {
    return key;
  }

  public WorkerWithDpRank worker() {
    return worker;
  }

  /** Returns the hashes, of which the first {@link #blockCount()} count; not to be modified. */
  public long[] sequenceHashes() {
    return sequenceHashes;
  }

  public int blockCount() {
    return blockCount;
  }

  /** Returns prompt tokens that count as load until the prefill is marked completed. */
  public long prefillTokens() {
    return prefillTokens;
  }

  /** Returns how long the rank is expected to compute the prompt, negative if unknown. */
  public long expectedPrefillNanos() {
    return expectedPrefillNanos;
  }

  /**
   * Says that this is the router's own request, from whose answer it learns.
   *
   * @param promptLength its tokens
   * @param miss how many the rank has to compute, negative if the prompt is not computed there
   */
  Booking ofOwnRequest(long promptLength, long miss) {
    promptTokens = promptLength;
    missTokens = miss;
    own = true;
    return this;
  }

  /** Says where the fleet has the rank; see {@link WorkerCandidates#place}. */
  Booking at(int fleetPlace) {
    place = fleetPlace;
    return this;
  }

  /** Returns a hint at where the fleet has the rank, negative where nobody said. */
  int place() {
    return place;
  }

  /** Says that the request is in the middle of its life, so that its times teach nothing. */
  void teachesNothing() {
    own = false;
  }

  /** Returns the prompt's tokens, negative if unknown. */
  long promptTokens() {
    return promptTokens;
  }

  /** Returns tokens that the rank has to compute, negative if the prompt is not computed there. */
  long missTokens() {
    return missTokens;
  }

  /** Returns whether its times teach this router anything. */
  boolean isOwn() {
    return own;
  }

  /** Returns how long the answer was; known once it has ended. */
  long outputTokens() {
    return outputTokens;
  }

  void ended(long answerTokens) {
    outputTokens = answerTokens;
  }
}
