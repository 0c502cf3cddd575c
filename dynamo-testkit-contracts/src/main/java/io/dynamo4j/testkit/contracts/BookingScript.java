// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.kvrouter.ActiveBlockTracker;
import io.dynamo4j.kvrouter.Booking;
import io.dynamo4j.kvrouter.BookingKey;
import io.dynamo4j.kvrouter.WorkerCandidates;
import io.dynamo4j.kvrouter.WorkerLoad;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a router does to its account of load, one thing after the other. {@link #check} compares the
 * account with the sum over the living bookings after each.
 *
 * @param steps in their order
 */
public record BookingScript(List<Step> steps) {
  private static final int BLOCK_SIZE = 4;
  private static final int PROMPT_BLOCKS = 6;

  /** One thing that a router does. Bookings are named by the order in which they were made. */
  public sealed interface Step {

    /**
     * A booking; prompts of one family share their beginning.
     *
     * @param key few, so that they meet
     */
    record Book(WorkerWithDpRank rank, int key, int family, int blocks, int tokens)
        implements Step {}

    /** The prompt of a booking is computed. */
    record Prefill(int booking) implements Step {}

    /** A booking begins another block of its answer. */
    record Output(int booking) implements Step {}

    /** A booking ends. */
    record Free(int booking) implements Step {}

    /** A rank is gone. */
    record RankGone(WorkerWithDpRank rank) implements Step {}
  }

  public BookingScript {
    steps = List.copyOf(steps);
  }

  /** A booking of which something is left. */
  private static final class Live {
    final Booking booking;
    boolean prefillCompleted;
    int outputBlocks;

    Live(Booking booking) {
      this.booking = booking;
    }
  }

  /**
   * Does all of it.
   *
   * @param tracker without bookings
   * @throws AssertionError if an answer or a load differs from what the bookings add up to; its
   *     message names the step
   */
  public void check(ActiveBlockTracker tracker) {
    Play play = new Play(tracker);
    for (int i = 0; i < steps.size(); i++) {
      play.step(steps.get(i), "step " + i + ", " + steps.get(i));
    }
  }

  static long[] hashes(int family, int blocks) {
    long[] hashes = new long[blocks];
    for (int i = 0; i < blocks; i++) {
      hashes[i] = 1000L * family + i;
    }
    return hashes;
  }

  /** One run. */
  private static final class Play {
    private final ActiveBlockTracker tracker;
    private final List<Live> living = new ArrayList<>();
    private final List<Booking> made = new ArrayList<>();
    private final Set<WorkerWithDpRank> ranks = new LinkedHashSet<>();

    Play(ActiveBlockTracker tracker) {
      this.tracker = tracker;
    }

    void step(Step step, String name) {
      if (step instanceof Step.Book book) {
        book(book, name);
      } else if (step instanceof Step.RankGone gone) {
        tracker.removeRank(gone.rank());
        living.removeIf(live -> live.booking.worker().equals(gone.rank()));
      } else if (!made.isEmpty()) {
        change(step, name);
      }
      compare(name);
    }

    private void book(Step.Book book, String name) {
      ranks.add(book.rank());
      BookingKey key = new BookingKey("r" + book.key(), 0);
      Booking booking =
          Booking.of(
              key, book.rank(), hashes(book.family(), book.blocks()), book.blocks(), book.tokens());
      if (living.stream().anyMatch(live -> live.booking.key().equals(key))) {
        assertThatThrownBy(() -> tracker.book(booking))
            .as(name)
            .isInstanceOfSatisfying(
                DynamoException.class,
                refused -> assertThat(refused.errorType()).isEqualTo(ErrorType.DUPLICATE_REQUEST));
      } else {
        tracker.book(booking);
        living.add(new Live(booking));
      }
      made.add(booking);
    }

    private void change(Step step, String name) {
      if (step instanceof Step.Prefill prefill) {
        Booking booking = made(prefill.booking());
        Live live = live(booking);
        boolean expected = live != null && !live.prefillCompleted;
        assertThat(tracker.markPrefillCompleted(booking)).as(name).isEqualTo(expected);
        if (live != null) {
          live.prefillCompleted = true;
        }
      } else if (step instanceof Step.Output output) {
        Booking booking = made(output.booking());
        Live live = live(booking);
        assertThat(tracker.addOutputBlock(booking)).as(name).isEqualTo(live != null);
        if (live != null) {
          live.outputBlocks++;
        }
      } else if (step instanceof Step.Free free) {
        Booking booking = made(free.booking());
        Live live = live(booking);
        assertThat(tracker.free(booking)).as(name).isEqualTo(live != null);
        living.remove(live);
      }
    }

    private Booking made(int number) {
      return made.get(Math.floorMod(number, made.size()));
    }

    @SuppressWarnings("ReferenceEquality") // bookings are told apart by identity
    private @Nullable Live live(Booking booking) {
      for (Live live : living) {
        if (live.booking == booking) {
          return live;
        }
      }
      return null;
    }

    private void compare(String name) {
      assertThat(tracker.bookingCount()).as(name).isEqualTo(living.size());
      for (WorkerWithDpRank rank : ranks) {
        assertThat(tracker.load(rank)).as("%s, load of %s", name, rank).isEqualTo(load(rank));
      }
      if (!ranks.isEmpty()) {
        compareProjection(name);
      }
    }

    private void compareProjection(String name) {
      for (int family = 1; family <= TrackerArbitraries.FAMILIES; family++) {
        long[] query = hashes(family, PROMPT_BLOCKS);
        WorkerCandidates candidates = WorkerCandidates.create();
        candidates.reset(PROMPT_BLOCKS * BLOCK_SIZE, BLOCK_SIZE, PROMPT_BLOCKS, true);
        ranks.forEach(rank -> candidates.add(rank, 0, 0, 0));
        tracker.project(query, query.length, candidates);
        for (int row = 0; row < candidates.size(); row++) {
          WorkerLoad load = load(candidates.worker(row));
          assertThat(
                  List.of(
                      candidates.activePrefillTokens(row),
                      candidates.activeBlocks(row),
                      (long) candidates.addedBlocks(row),
                      (long) candidates.activeRequests(row)))
              .as("%s, family %s on %s", name, family, candidates.worker(row))
              .isEqualTo(
                  List.of(
                      load.prefillTokens(),
                      load.blocks(),
                      (long) added(candidates.worker(row), query),
                      (long) load.requests()));
        }
      }
    }

    private int added(WorkerWithDpRank rank, long[] query) {
      Set<Long> active = active(rank);
      int depth = 0;
      while (depth < query.length && active.contains(query[depth])) {
        depth++;
      }
      return query.length - depth;
    }

    private WorkerLoad load(WorkerWithDpRank rank) {
      long tokens = 0;
      long blocks = active(rank).size();
      int requests = 0;
      for (Live live : living) {
        if (live.booking.worker().equals(rank)) {
          requests++;
          blocks += live.outputBlocks;
          tokens += live.prefillCompleted ? 0 : live.booking.prefillTokens();
        }
      }
      return new WorkerLoad(tokens, blocks, requests);
    }

    private Set<Long> active(WorkerWithDpRank rank) {
      Set<Long> active = new LinkedHashSet<>();
      for (Live live : living) {
        for (int i = 0; live.booking.worker().equals(rank) && i < live.booking.blockCount(); i++) {
          active.add(live.booking.sequenceHashes()[i]);
        }
      }
      return active;
    }
  }
}
