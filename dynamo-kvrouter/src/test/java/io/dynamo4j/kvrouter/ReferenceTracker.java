// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Recomputes every figure from the list of living bookings. */
class ReferenceTracker implements ActiveBlockTracker {

  static final class Live {
    final Booking booking;
    boolean prefillCompleted;
    int outputBlocks;
    double outputWeight;

    Live(Booking booking) {
      this.booking = booking;
    }
  }

  final Map<BookingKey, Live> living = new LinkedHashMap<>();

  /** Blocks that weigh less than 1, by rank. */
  private final Map<WorkerWithDpRank, Map<Long, Double>> weights = new LinkedHashMap<>();

  @Override
  public void book(Booking booking) {
    if (living.containsKey(booking.key())) {
      throw new DynamoException(ErrorType.DUPLICATE_REQUEST, "booked: key=" + booking.key());
    }
    living.put(booking.key(), new Live(booking));
  }

  private @Nullable Live find(Booking booking) {
    Live live = living.get(booking.key());
    return live != null && live.booking == booking ? live : null;
  }

  @Override
  public boolean markPrefillCompleted(Booking booking) {
    Live live = find(booking);
    if (live == null || live.prefillCompleted) {
      return false;
    }
    live.prefillCompleted = true;
    return true;
  }

  @Override
  public boolean addOutputBlock(Booking booking) {
    return grow(booking) != null;
  }

  @Override
  public boolean addOutputBlock(Booking booking, double remaining) {
    Live live = grow(booking);
    if (live == null) {
      return false;
    }
    live.outputWeight = live.outputBlocks * remaining;
    WorkerWithDpRank rank = booking.worker();
    long[] hashes = booking.sequenceHashes();
    for (int i = booking.blockCount() - 1; i >= 0 && holders(rank, hashes[i]) == 1; i--) {
      weights.computeIfAbsent(rank, added -> new LinkedHashMap<>()).put(hashes[i], remaining);
    }
    return true;
  }

  private @Nullable Live grow(Booking booking) {
    Live live = find(booking);
    if (live != null) {
      live.outputBlocks++;
      live.outputWeight++;
    }
    return live;
  }

  private int holders(WorkerWithDpRank worker, long hash) {
    int holders = 0;
    for (Live live : living.values()) {
      long[] hashes = live.booking.sequenceHashes();
      for (int i = 0; live.booking.worker().equals(worker) && i < live.booking.blockCount(); i++) {
        holders += hashes[i] == hash ? 1 : 0;
      }
    }
    return holders;
  }

  @Override
  public boolean free(Booking booking) {
    boolean isFreed = find(booking) != null && living.remove(booking.key()) != null;
    forgetWeights();
    return isFreed;
  }

  @Override
  public void removeRank(WorkerWithDpRank rank) {
    living.values().removeIf(live -> live.booking.worker().equals(rank));
    forgetWeights();
  }

  private void forgetWeights() {
    weights.forEach((rank, light) -> light.keySet().retainAll(activeHashes(rank)));
  }

  @Override
  public void project(long[] sequenceHashes, int count, WorkerCandidates candidates) {
    for (int row = 0; row < candidates.size(); row++) {
      WorkerLoad load = load(candidates.worker(row));
      Set<Long> active = activeHashes(candidates.worker(row));
      int depth = 0;
      while (depth < count && active.contains(sequenceHashes[depth])) {
        depth++;
      }
      candidates.setLoad(row, load.prefillTokens(), load.blocks(), count - depth, load.requests());
    }
  }

  @Override
  public WorkerLoad load(WorkerWithDpRank worker) {
    long tokens = 0;
    double outputs = 0;
    int requests = 0;
    for (Live live : living.values()) {
      if (live.booking.worker().equals(worker)) {
        requests++;
        outputs += live.outputWeight;
        tokens += live.prefillCompleted ? 0 : live.booking.prefillTokens();
      }
    }
    double blocks = activeHashes(worker).size() + outputs;
    for (double weight : weights.getOrDefault(worker, Map.of()).values()) {
      blocks -= 1 - weight;
    }
    return new WorkerLoad(tokens, Math.round(blocks), requests);
  }

  @Override
  public int bookingCount() {
    return living.size();
  }

  private Set<Long> activeHashes(WorkerWithDpRank worker) {
    Set<Long> hashes = new HashSet<>();
    for (Live live : living.values()) {
      if (live.booking.worker().equals(worker)) {
        for (int i = 0; i < live.booking.blockCount(); i++) {
          hashes.add(live.booking.sequenceHashes()[i]);
        }
      }
    }
    return hashes;
  }
}
