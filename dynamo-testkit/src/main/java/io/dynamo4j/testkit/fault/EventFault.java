// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.fault;

/**
 * What befalls one envelope on its way to one subscription.
 *
 * @param copies how often it arrives: 0 is lost, 2 a duplicate
 * @param delayNanos how much later than it would
 * @param overtakable whether later envelopes of the same publisher may arrive before it
 */
public record EventFault(int copies, long delayNanos, boolean overtakable) {

  public EventFault {
    if (copies < 0 || delayNanos < 0) {
      throw new IllegalArgumentException(
          "fault is out of range: copies=" + copies + ", delayNanos=" + delayNanos);
    }
  }

  /** Returns no fault at all. */
  public static EventFault none() {
    return new EventFault(1, 0, false);
  }

  /** Returns the loss of the envelope. */
  public static EventFault lost() {
    return new EventFault(0, 0, false);
  }

  /** Returns an envelope that arrives twice. */
  public static EventFault duplicated() {
    return new EventFault(2, 0, false);
  }

  /** Returns an envelope that is late, as are those after it. */
  public static EventFault delayed(long nanos) {
    return new EventFault(1, nanos, false);
  }

  /** Returns an envelope that is late and overtaken by those after it. */
  public static EventFault overtaken(long nanos) {
    return new EventFault(1, nanos, true);
  }
}
