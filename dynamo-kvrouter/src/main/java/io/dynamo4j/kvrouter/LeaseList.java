// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A router's own living leases, roughly in the order of their last sign of life.
 *
 * <p>Progress only stamps a lease. Whoever looks for expired ones moves those that lived on from
 * the front to the back, so that a sweep costs O(1) a lease and expiry.
 *
 * <p><b>Threads.</b> Belongs to the router's lock.
 */
final class LeaseList {
  private @Nullable RequestLease head;
  private @Nullable RequestLease tail;
  private int size;

  int size() {
    return size;
  }

  /** Visits every lease; the action may remove the one it gets. */
  void forEach(Consumer<RequestLease> action) {
    for (RequestLease lease = head; lease != null; ) {
      RequestLease next = lease.next;
      action.accept(lease);
      lease = next;
    }
  }

  /** Appends a lease whose last sign of life is now. */
  void add(RequestLease lease, long nowNanos) {
    lease.listedNanos = nowNanos;
    lease.listed = true;
    lease.previous = tail;
    lease.next = null;
    if (tail == null) {
      head = lease;
    } else {
      tail.next = lease;
    }
    tail = lease;
    size++;
  }

  /** Returns false if the lease is not in the list. */
  boolean remove(RequestLease lease) {
    if (!lease.listed) {
      return false;
    }
    if (lease.previous == null) {
      head = lease.next;
    } else {
      lease.previous.next = lease.next;
    }
    if (lease.next == null) {
      tail = lease.previous;
    } else {
      lease.next.previous = lease.previous;
    }
    lease.previous = null;
    lease.next = null;
    lease.listed = false;
    size--;
    return true;
  }

  /**
   * Returns a lease without a sign of life for longer than {@code expiryNanos}, if there is one.
   */
  @Nullable RequestLease expired(long nowNanos, long expiryNanos) {
    while (head != null && nowNanos - head.listedNanos > expiryNanos) {
      RequestLease lease = head;
      long progressNanos = lease.progressNanos;
      if (progressNanos - lease.listedNanos <= 0) {
        return lease;
      }
      remove(lease);
      add(lease, progressNanos);
    }
    return null;
  }
}
