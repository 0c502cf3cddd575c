// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.runtime;

/**
 * Monotonic time of one node, in nanoseconds from an arbitrary origin.
 *
 * <p>Only differences mean anything; two nodes' clocks are never compared. Wall time is {@link
 * java.time.InstantSource}.
 */
@FunctionalInterface
public interface NanoClock {

  /** Returns nanoseconds since this clock's origin; never decreases within one lane. */
  long nanoTime();
}
