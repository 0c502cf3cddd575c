// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.kvrouter.ActiveBlockTracker;
import io.dynamo4j.kvrouter.Booking;
import io.dynamo4j.kvrouter.ForwardingBlockTracker;

/** Stands between the router and its bookings and keeps the ledger. */
final class LedgerTracker extends ForwardingBlockTracker {
  private final Ledger ledger;

  LedgerTracker(ActiveBlockTracker delegate, Ledger ledger) {
    super(delegate);
    this.ledger = ledger;
  }

  @Override
  public void book(Booking booking) {
    super.book(booking);
    ledger.booked(booking);
  }

  @Override
  public boolean free(Booking booking) {
    boolean wasThere = super.free(booking);
    if (wasThere || !ledger.isGone(booking)) {
      ledger.freed(booking);
    }
    return wasThere;
  }

  @Override
  public void removeRank(WorkerWithDpRank rank) {
    super.removeRank(rank);
    ledger.rankGone(rank);
  }
}
