// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/**
 * Hears what happens to requests at a {@link KvRouter}.
 *
 * <p><b>Threads.</b> Called on the thread that selected, closed the lease or runs the queue,
 * without a lock of the router; several at a time. What it throws is logged and changes nothing.
 */
@FunctionalInterface
public interface RoutingListener {

  void onEvent(RoutingEvent event);
}
