// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.propertytests;

import io.dynamo4j.kvrouter.ActiveBlockTracker;
import io.dynamo4j.kvrouter.Booking;
import io.dynamo4j.kvrouter.ForwardingBlockTracker;

/** A host's wrapper, which remembers the most bookings that lived at one time. */
public final class PeakTracker extends ForwardingBlockTracker {
  private int peak;

  public PeakTracker(ActiveBlockTracker tracker) {
    super(tracker);
  }

  /** Returns the most bookings that lived at one time. */
  public int peak() {
    return peak;
  }

  @Override
  public void book(Booking booking) {
    super.book(booking);
    peak = Math.max(peak, bookingCount());
  }
}
