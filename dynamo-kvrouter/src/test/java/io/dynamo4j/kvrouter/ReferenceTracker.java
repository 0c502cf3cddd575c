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

    Live(Booking booking) {
      this.booking = booking;
    }
  }

  final Map<BookingKey, Live> living = new LinkedHashMap<>();

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
    Live live = find(booking);
    if (live == null) {
      return false;
    }
    live.outputBlocks++;
    return true;
  }

  @Override
  public boolean addOutputBlock(Booking booking, double remaining) {
    throw new UnsupportedOperationException("weights are checked by recorded figures");
  }

  @Override
  public boolean free(Booking booking) {
    return find(booking) != null && living.remove(booking.key()) != null;
  }

  @Override
  public void removeRank(WorkerWithDpRank rank) {
    living.values().removeIf(live -> live.booking.worker().equals(rank));
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
    long outputs = 0;
    int requests = 0;
    for (Live live : living.values()) {
      if (live.booking.worker().equals(worker)) {
        requests++;
        outputs += live.outputBlocks;
        tokens += live.prefillCompleted ? 0 : live.booking.prefillTokens();
      }
    }
    return new WorkerLoad(tokens, activeHashes(worker).size() + outputs, requests);
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
