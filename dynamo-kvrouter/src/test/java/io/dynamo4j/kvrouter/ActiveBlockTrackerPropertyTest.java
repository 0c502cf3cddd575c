// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Random operations on the tracker and on a list of bookings must always agree. */
class ActiveBlockTrackerPropertyTest {

  /** Plays one random history; every figure is compared after every step. */
  private static final class History {
    private final ActiveBlockTracker tracker;
    private final ReferenceTracker reference = new ReferenceTracker();
    private final RandomSource random;
    private final int workers;
    private final List<Booking> known = new ArrayList<>();
    private final WorkerCandidates actual = WorkerCandidates.create();
    private final WorkerCandidates expected = WorkerCandidates.create();
    private int nextId;

    History(long seed, int workers, LongFunction<ActiveBlockTracker> factory) {
      this.random = RandomSource.seeded(seed);
      this.workers = workers;
      this.tracker = factory.apply(random.nextLong());
    }

    void play(int steps) {
      for (int step = 0; step < steps; step++) {
        step();
        compare();
        checkTree();
      }
      for (Booking booking : known) {
        tracker.free(booking);
        reference.free(booking);
      }
      compare();
      checkTree();
      assertThat(tracker.bookingCount()).isZero();
    }

    private void checkTree() {
      if (tracker instanceof PrefixSharingTracker ours) {
        PrefixTreeCheck.check(ours.prefixes());
        assertThat(tracker.bookingCount() > 0 || ours.prefixes().runCount() == 0).isTrue();
      }
    }

    private void step() {
      int kind = random.nextInt(20);
      if (kind < 8 || known.isEmpty()) {
        book();
        return;
      }
      Booking booking = known.get(random.nextInt(known.size()));
      if (kind < 11) {
        assertThat(tracker.markPrefillCompleted(booking))
            .isEqualTo(reference.markPrefillCompleted(booking));
      } else if (kind < 12) {
        assertThat(tracker.addOutputBlock(booking)).isEqualTo(reference.addOutputBlock(booking));
      } else if (kind < 13) {
        double remaining = random.nextInt(5) / 4.0; // sums of quarters are exact
        assertThat(tracker.addOutputBlock(booking, remaining))
            .isEqualTo(reference.addOutputBlock(booking, remaining));
      } else if (kind < 18) {
        assertThat(tracker.free(booking)).isEqualTo(reference.free(booking));
      } else if (kind < 19) {
        WorkerWithDpRank rank = rank(random.nextInt(workers));
        tracker.removeRank(rank);
        reference.removeRank(rank);
      } else {
        rebook(booking);
      }
    }

    private void book() {
      Booking booking = booking(new BookingKey("r" + nextId++, random.nextInt(3)));
      tracker.book(booking);
      reference.book(booking);
      known.add(booking);
    }

    /** Uses a key again, which is refused while it is booked. */
    private void rebook(Booking old) {
      Booking booking = booking(old.key());
      if (reference.living.containsKey(old.key())) {
        assertThatThrownBy(() -> tracker.book(booking)).isInstanceOf(DynamoException.class);
      } else {
        tracker.book(booking);
        reference.book(booking);
        known.add(booking);
      }
    }

    private Booking booking(BookingKey key) {
      long[] hashes = prompt();
      return Booking.of(
          key, rank(random.nextInt(workers)), hashes, hashes.length, random.nextInt(50));
    }

    private WorkerWithDpRank rank(int worker) {
      return new WorkerWithDpRank(worker, random.nextInt(2));
    }

    /** A random walk down a narrow tree, so that prompts share prefixes of every length. */
    private long[] prompt() {
      long[] hashes = new long[random.nextInt(12)];
      long parent = 17;
      for (int i = 0; i < hashes.length; i++) {
        parent = parent * 31 + random.nextInt(2);
        hashes[i] = parent;
      }
      return hashes;
    }

    private void compare() {
      long[] query = prompt();
      fill(actual, query.length);
      fill(expected, query.length);
      tracker.project(query, query.length, actual);
      reference.project(query, query.length, expected);
      for (int row = 0; row < actual.size(); row++) {
        assertThat(figures(actual, row)).isEqualTo(figures(expected, row));
        assertThat(tracker.load(actual.worker(row))).isEqualTo(reference.load(actual.worker(row)));
      }
      assertThat(tracker.bookingCount()).isEqualTo(reference.bookingCount());
    }

    private void fill(WorkerCandidates candidates, int blocks) {
      candidates.reset(blocks * 4, 4, blocks, true);
      for (int worker = 0; worker < workers; worker++) {
        candidates.add(new WorkerWithDpRank(worker, 0), 0, 0, 0);
        candidates.add(new WorkerWithDpRank(worker, 1), 0, 0, 0);
      }
    }

    private static List<Long> figures(WorkerCandidates candidates, int row) {
      return List.of(
          candidates.activePrefillTokens(row),
          candidates.activeBlocks(row),
          (long) candidates.addedBlocks(row),
          (long) candidates.activeRequests(row));
    }
  }

  @Property(tries = 150)
  void shouldEqualTheSumOfItsBookings(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 6) int workers) {
    new History(seed, workers, ActiveBlockTracker::create).play(120);
  }

  @Property(tries = 4)
  void shouldEqualTheSumOfItsBookingsOnMoreRanksThanBitsInAWord(@ForAll long seed) {
    new History(seed, 75, ActiveBlockTracker::create).play(400);
  }

  /** Forgets to take the prefill tokens of a booking that is freed early. */
  private static final class LeakyTracker extends ReferenceTracker {
    private long leaked;

    @Override
    public boolean free(Booking booking) {
      Live live = living.get(booking.key());
      if (live != null && live.booking == booking && !live.prefillCompleted) {
        leaked += booking.prefillTokens();
      }
      return super.free(booking);
    }

    @Override
    public WorkerLoad load(WorkerWithDpRank worker) {
      WorkerLoad load = super.load(worker);
      return new WorkerLoad(load.prefillTokens() + leaked, load.blocks(), load.requests());
    }
  }

  /** Counts a hash anywhere in the prompt, not only on the contiguous prefix. */
  private static final class UnorderedTracker extends ReferenceTracker {
    @Override
    public void project(long[] sequenceHashes, int count, WorkerCandidates candidates) {
      super.project(sequenceHashes, count, candidates);
      for (int row = 0; row < candidates.size(); row++) {
        int added = Math.min(candidates.addedBlocks(row), 1);
        candidates.setLoad(
            row,
            candidates.activePrefillTokens(row),
            candidates.activeBlocks(row),
            added,
            candidates.activeRequests(row));
      }
    }
  }

  /** Finds a prompt only where it goes through the whole of another, as if runs never split. */
  private static final class UnsplitTracker extends ReferenceTracker {
    @Override
    public void project(long[] sequenceHashes, int count, WorkerCandidates candidates) {
      super.project(sequenceHashes, count, candidates);
      for (int row = 0; row < candidates.size(); row++) {
        int depth = count - candidates.addedBlocks(row);
        boolean endsThere = false;
        for (Live live : living.values()) {
          endsThere |=
              live.booking.worker().equals(candidates.worker(row))
                  && live.booking.blockCount() == depth;
        }
        candidates.setLoad(
            row,
            candidates.activePrefillTokens(row),
            candidates.activeBlocks(row),
            endsThere ? count - depth : count,
            candidates.activeRequests(row));
      }
    }
  }

  @Example
  void shouldCatchTrackersThatAreWrong() {
    assertThatThrownBy(() -> new History(1, 3, seed -> new UnsplitTracker()).play(500))
        .isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> new History(1, 3, seed -> new LeakyTracker()).play(500))
        .isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> new History(1, 3, seed -> new UnorderedTracker()).play(500))
        .isInstanceOf(AssertionError.class);
  }
}
