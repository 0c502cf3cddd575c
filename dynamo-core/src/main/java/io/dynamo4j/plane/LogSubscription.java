// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

/** One reader of a {@link DurableEventLog}; a close leaves its name and its place in the log. */
public interface LogSubscription extends Subscription {

  /**
   * Says that all entries up to this one are done with, which makes room for more. Never waits; an
   * acknowledgement that is lost is made good by the next.
   */
  void acknowledge(long sequence);
}
