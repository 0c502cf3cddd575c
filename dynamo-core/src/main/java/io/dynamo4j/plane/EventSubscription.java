// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

/** Handle of one subscription. */
public interface EventSubscription extends Subscription {

  /** Returns how many envelopes were lost because the subscriber's bounded queue was full. */
  long droppedCount();
}
