// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import io.dynamo4j.core.runtime.Scheduler;
import java.util.List;

/**
 * Which publishers of events there are and where: what an event plane without a broker connects to.
 */
public interface EventChannelDirectory {

  /**
   * Returns the channels of all publishers; an immutable snapshot, in no particular order.
   *
   * <p><b>Threads.</b> Any.
   */
  List<EventChannel> channels();

  /**
   * Announces a publisher until the handle is closed. A channel of the same publisher that is there
   * already is replaced, and closing the older handle then changes nothing.
   */
  Subscription register(EventChannel channel);

  /**
   * Reports every channel now known as added, then every change, in order. A channel that is
   * replaced by one with another address is removed first. A listener that throws loses that report
   * only; what it threw goes to the lane's failure handler.
   *
   * @param lane where {@code listener} runs; never inline
   */
  Subscription watch(Scheduler lane, Listener listener);

  /** Receives changes, on the lane given to {@link EventChannelDirectory#watch}. */
  interface Listener {

    /** A publisher appeared. */
    void added(EventChannel channel);

    /** A publisher is gone. */
    void removed(EventChannel channel);
  }
}
