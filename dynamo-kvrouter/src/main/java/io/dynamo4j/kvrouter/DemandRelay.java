// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Keeps demand until there is somebody to pass it to.
 *
 * <p><b>Threads.</b> Any; {@link #attach} once at a time.
 */
final class DemandRelay {
  private final AtomicLong early = new AtomicLong();
  private volatile Flow.@Nullable Subscription upstream;

  /** Returns whom demand goes to, null while it is kept. */
  Flow.@Nullable Subscription upstream() {
    return upstream;
  }

  /** Passes on from now on what is asked for, and what was asked for before. */
  void attach(Flow.Subscription subscription) {
    upstream = subscription;
    passOn(subscription);
  }

  /** Takes positive demand. */
  void request(long n) {
    Flow.Subscription subscription = upstream;
    if (subscription != null) {
      subscription.request(n);
      return;
    }
    early.accumulateAndGet(n, DemandRelay::saturatingAdd);
    subscription = upstream;
    if (subscription != null) {
      // It was attached meanwhile; whoever takes the demand passes it on.
      passOn(subscription);
    }
  }

  /** Takes one of what is asked for and not passed on; false if nothing is. */
  boolean takeOne() {
    long before = early.getAndUpdate(n -> n == Long.MAX_VALUE ? n : Math.max(0, n - 1));
    return before > 0;
  }

  private void passOn(Flow.Subscription subscription) {
    long demand = early.getAndSet(0);
    if (demand > 0) {
      subscription.request(demand);
    }
  }

  private static long saturatingAdd(long a, long b) {
    long sum = a + b;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }
}
