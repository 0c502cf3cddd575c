// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/**
 * Hears what becomes of this router's own bookings, in order.
 *
 * <p><b>Threads.</b> Called under the router's lock; must not call back.
 */
interface BookingEvents {

  /** Hears nothing. */
  BookingEvents NONE =
      new BookingEvents() {
        @Override
        public void booked(RequestLease lease) {
          // Nobody listens.
        }

        @Override
        public void prefillCompleted(RequestLease lease) {
          // Nobody listens.
        }

        @Override
        public void freed(RequestLease lease) {
          // Nobody listens.
        }
      };

  void booked(RequestLease lease);

  void prefillCompleted(RequestLease lease);

  /** Hears that a booking ended: closed, expired, or its worker is gone. */
  void freed(RequestLease lease);
}
