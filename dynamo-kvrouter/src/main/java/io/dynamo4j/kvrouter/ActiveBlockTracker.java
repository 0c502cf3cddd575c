// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.NanoClock;

/**
 * The load that bookings put on each rank: distinct prompt blocks, prompt tokens still to be
 * computed, requests in flight.
 *
 * <p>A prompt block that several bookings of one rank share counts once; ranks share nothing. A
 * sequence hash stands for its whole prefix. A rank without bookings is a rank without load, so
 * nobody registers ranks. Prompt tokens decay while the rank computes them if bookings predict how
 * long that takes; else they count until the prefill is done.
 *
 * <p>Every operation leaves the loads equal to the sum over the living bookings. An operation on a
 * booking that is gone changes nothing, not even when another booking has taken its key since:
 * bookings are told apart by identity.
 *
 * <p><b>Threads.</b> Not thread-safe: the router calls it under its lock.
 */
public interface ActiveBlockTracker {

  /** Returns a tracker without a clock: prompts count in full until their prefill is done. */
  static ActiveBlockTracker create(long seed) {
    return create(seed, () -> 0);
  }

  /**
   * Returns the tracker that a router uses by default: exact, and fast for long prompts, because it
   * counts runs of blocks that prompts have in common instead of blocks.
   *
   * @param seed mixes hashes, so that crafted prompts do not collide in its tables; no result
   *     depends on it
   * @param clock what the load of a prompt decays by where its booking says how long it takes
   */
  static ActiveBlockTracker create(long seed, NanoClock clock) {
    return new PrefixSharingTracker(seed, clock);
  }

  /**
   * Takes a booking.
   *
   * @throws io.dynamo4j.core.model.DynamoException of type {@code DUPLICATE_REQUEST} if the key is
   *     booked on whatever rank; nothing changes then
   */
  void book(Booking booking);

  /**
   * Takes a booking's prompt tokens off its rank's load.
   *
   * @param booking the object that was booked; another one under the same key is not touched
   * @return false if that was done before or the booking is gone
   */
  boolean markPrefillCompleted(Booking booking);

  /**
   * Adds a block of generated tokens, which nobody shares, to a booking.
   *
   * @return false if the booking is gone
   */
  boolean addOutputBlock(Booking booking);

  /**
   * Adds a block of generated tokens and lowers the weight of what will soon be free: of all the
   * booking's output blocks, and of the prompt blocks at its end that no other booking holds.
   *
   * <p>As in Dynamo a prompt block keeps its weight as long as anybody holds it, even if another
   * booking comes to share it.
   *
   * @param remaining how much of the answer is still to come, 0 to 1
   * @return false if the booking is gone
   * @throws IllegalArgumentException if {@code remaining} is out of range
   */
  boolean addOutputBlock(Booking booking, double remaining);

  /**
   * Ends a booking and whatever load is left of it.
   *
   * @return false if it is gone already
   */
  boolean free(Booking booking);

  /** Ends every booking of one rank. */
  void removeRank(WorkerWithDpRank rank);

  /**
   * Fills in the load columns of every row.
   *
   * @param sequenceHashes sequence hashes of the request's full blocks
   * @param count how many count; the added blocks of a row are those behind the longest prefix that
   *     is active on its rank
   */
  void project(long[] sequenceHashes, int count, WorkerCandidates candidates);

  /** Returns one rank's load. */
  WorkerLoad load(WorkerWithDpRank worker);

  /**
   * Returns whether a booking of this key lives. Whoever cannot tell says no: a duplicate is then
   * refused when it is booked instead of when it comes.
   */
  default boolean isBooked(BookingKey key) {
    return false;
  }

  /** Returns the number of living bookings. */
  int bookingCount();
}
