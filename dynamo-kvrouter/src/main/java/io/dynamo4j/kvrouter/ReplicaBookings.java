// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What other routers have booked, counted in this router's load while the directory knows the rank.
 *
 * <p><b>Threads.</b> Belongs to the router's lock.
 */
final class ReplicaBookings {
  private final ActiveBlockTracker tracker;
  private final Map<String, List<ReplicaBooking>> byRequest = new LinkedHashMap<>();
  private RankTable table = RankTable.EMPTY;
  private int size;

  ReplicaBookings(ActiveBlockTracker tracker) {
    this.tracker = tracker;
  }

  int size() {
    return size;
  }

  /** Returns where another router has booked a request, null if none has. */
  @Nullable WorkerWithDpRank workerOf(String requestId) {
    List<ReplicaBooking> same = byRequest.get(requestId);
    return same == null ? null : same.get(0).worker();
  }

  /** Says how long ago happened what is told next; 0 for now. */
  void peerAge(long nanos) {
    if (tracker instanceof ForecastingTracker forecasting) {
      forecasting.peerAge(nanos);
    }
  }

  void add(ReplicaBooking replica) {
    byRequest.computeIfAbsent(replica.requestId(), id -> new ArrayList<>(1)).add(replica);
    size++;
    countIfKnown(replica);
  }

  void remove(ReplicaBooking replica) {
    List<ReplicaBooking> same = byRequest.get(replica.requestId());
    if (same == null || !same.remove(replica)) {
      return;
    }
    if (same.isEmpty()) {
      byRequest.remove(replica.requestId());
    }
    size--;
    uncount(replica);
  }

  /** Counts a booking again that its owner holds still although its rank had left. */
  void confirm(ReplicaBooking replica) {
    if (replica.doubted) {
      replica.doubted = false;
      countIfKnown(replica);
    }
  }

  void markPrefillCompleted(ReplicaBooking replica) {
    if (replica.prefillPending) {
      replica.prefillPending = false;
      if (replica.counted) {
        tracker.markPrefillCompleted(replica.booking());
      }
    }
  }

  /** Marks all bookings of this request on this rank. */
  boolean markPrefillCompleted(String requestId, WorkerWithDpRank worker) {
    boolean found = false;
    for (ReplicaBooking replica : byRequest.getOrDefault(requestId, List.of())) {
      if (replica.worker().equals(worker)) {
        markPrefillCompleted(replica);
        found = true;
      }
    }
    return found;
  }

  /** Stops counting what is booked on a rank; its owner will say whether it lives. */
  void rankGone(WorkerWithDpRank rank) {
    byRequest.forEach(
        (id, same) ->
            same.forEach(
                replica -> {
                  if (replica.worker().equals(rank)) {
                    uncount(replica);
                    replica.doubted = true;
                  }
                }));
  }

  /** Counts what waited for its rank to become known. */
  void ranksKnown(RankTable next) {
    table = next;
    byRequest.forEach(
        (id, same) ->
            same.forEach(
                replica -> {
                  if (!replica.doubted) {
                    countIfKnown(replica);
                  }
                }));
  }

  /** Visits everything, counted or not. */
  void forEach(Consumer<ReplicaBooking> action) {
    byRequest.forEach((id, same) -> same.forEach(action));
  }

  private void countIfKnown(ReplicaBooking replica) {
    if (!replica.counted && table.indexOf(replica.worker()) >= 0) {
      count(replica);
    }
  }

  private void uncount(ReplicaBooking replica) {
    if (replica.counted) {
      replica.counted = false;
      tracker.free(replica.booking());
    }
  }

  private void count(ReplicaBooking replica) {
    tracker.book(replica.booking());
    replica.counted = true;
    if (!replica.prefillPending && replica.booking().prefillTokens() > 0) {
      tracker.markPrefillCompleted(replica.booking());
    }
  }
}
