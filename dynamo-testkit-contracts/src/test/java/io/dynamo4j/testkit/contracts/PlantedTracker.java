// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.kvrouter.ActiveBlockTracker;
import io.dynamo4j.kvrouter.Booking;
import io.dynamo4j.kvrouter.BookingKey;
import io.dynamo4j.kvrouter.WorkerCandidates;
import io.dynamo4j.kvrouter.WorkerLoad;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An account of load that is right but for what is planted. */
final class PlantedTracker implements ActiveBlockTracker {

  enum Fault {
    NONE,
    SHARED_BLOCKS_COUNT_TWICE,
    RANKS_AS_ONE,
    PREFILL_FREES_AGAIN,
    OUTPUT_IGNORED,
    DUPLICATE_REPLACES,
    FREE_BY_KEY,
    RANK_REMOVAL_IGNORED,
    FREE_SAYS_YES_TWICE,
    PREFIX_IGNORED
  }

  private static final class Live {
    final Booking booking;
    long tokens;
    int outputs;

    Live(Booking booking) {
      this.booking = booking;
      this.tokens = booking.prefillTokens();
    }
  }

  private final Fault fault;
  private final Map<BookingKey, Live> living = new LinkedHashMap<>();

  PlantedTracker(Fault fault) {
    this.fault = fault;
  }

  @SuppressWarnings("ReferenceEquality") // bookings are told apart by identity
  private @Nullable Live find(Booking booking) {
    Live live = living.get(booking.key());
    boolean isRight = fault == Fault.FREE_BY_KEY || (live != null && live.booking == booking);
    return isRight ? live : null;
  }

  @Override
  public void book(Booking booking) {
    if (living.containsKey(booking.key()) && fault != Fault.DUPLICATE_REPLACES) {
      throw new DynamoException(ErrorType.DUPLICATE_REQUEST, "booked: key=" + booking.key());
    }
    living.put(booking.key(), new Live(booking));
  }

  @Override
  public boolean markPrefillCompleted(Booking booking) {
    Live live = find(booking);
    if (live == null || (live.tokens < 0 && fault != Fault.PREFILL_FREES_AGAIN)) {
      return false;
    }
    live.tokens = -1;
    return true;
  }

  @Override
  public boolean addOutputBlock(Booking booking) {
    Live live = find(booking);
    if (live != null && fault != Fault.OUTPUT_IGNORED) {
      live.outputs++;
    }
    return live != null;
  }

  @Override
  public boolean addOutputBlock(Booking booking, double remaining) {
    return addOutputBlock(booking);
  }

  @Override
  public boolean free(Booking booking) {
    Live live = find(booking);
    if (live != null) {
      living.remove(booking.key());
    }
    return live != null || fault == Fault.FREE_SAYS_YES_TWICE;
  }

  @Override
  public void removeRank(WorkerWithDpRank rank) {
    if (fault != Fault.RANK_REMOVAL_IGNORED) {
      living.values().removeIf(live -> live.booking.worker().equals(rank));
    }
  }

  private boolean isOn(Live live, WorkerWithDpRank rank) {
    return fault == Fault.RANKS_AS_ONE
        ? live.booking.worker().workerId() == rank.workerId()
        : live.booking.worker().equals(rank);
  }

  private List<Long> hashes(WorkerWithDpRank rank) {
    List<Long> hashes = new ArrayList<>();
    for (Live live : living.values()) {
      for (int i = 0; isOn(live, rank) && i < live.booking.blockCount(); i++) {
        hashes.add(live.booking.sequenceHashes()[i]);
      }
    }
    return hashes;
  }

  @Override
  public void project(long[] sequenceHashes, int count, WorkerCandidates candidates) {
    for (int row = 0; row < candidates.size(); row++) {
      WorkerLoad load = load(candidates.worker(row));
      Set<Long> active = new LinkedHashSet<>(hashes(candidates.worker(row)));
      int depth = 0;
      while (fault != Fault.PREFIX_IGNORED
          && depth < count
          && active.contains(sequenceHashes[depth])) {
        depth++;
      }
      candidates.setLoad(row, load.prefillTokens(), load.blocks(), count - depth, load.requests());
    }
  }

  @Override
  public WorkerLoad load(WorkerWithDpRank worker) {
    List<Long> hashes = hashes(worker);
    long blocks =
        fault == Fault.SHARED_BLOCKS_COUNT_TWICE
            ? hashes.size()
            : new LinkedHashSet<>(hashes).size();
    long tokens = 0;
    int requests = 0;
    for (Live live : living.values()) {
      if (isOn(live, worker)) {
        requests++;
        tokens += Math.max(0, live.tokens);
        blocks += live.outputs;
      }
    }
    return new WorkerLoad(tokens, blocks, requests);
  }

  @Override
  public int bookingCount() {
    return living.size();
  }
}
