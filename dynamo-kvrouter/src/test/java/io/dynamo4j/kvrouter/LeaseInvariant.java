// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.List;

/** A router's load is the sum of its own living leases and of what other routers hold. */
final class LeaseInvariant {

  private LeaseInvariant() {}

  static void check(KvRouter router, List<WorkerWithDpRank> ranks) {
    int count = router.bookingCount();
    ReferenceTracker sum = new ReferenceTracker();
    router
        .bookings()
        .leases()
        .forEach(lease -> add(sum, lease.booking(), lease.isPrefillCompleted()));
    router
        .bookings()
        .replicas()
        .forEach(
            replica -> {
              if (replica.counted) {
                add(sum, replica.booking(), !replica.prefillPending);
              }
            });
    assertThat(count).isEqualTo(sum.bookingCount());
    for (WorkerWithDpRank rank : ranks) {
      assertThat(router.load(rank)).as("rank %s", rank).isEqualTo(sum.load(rank));
    }
  }

  private static void add(ReferenceTracker sum, Booking booking, boolean prefillCompleted) {
    sum.book(booking);
    if (prefillCompleted) {
      sum.markPrefillCompleted(booking);
    }
  }
}
