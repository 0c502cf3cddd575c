// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.Subscription;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How requests reach workers where that is not by TCP. The answers come home over TCP all the same.
 *
 * <p>A request is one message: a two-part frame of control and body. The worker acknowledges it
 * with an empty one.
 *
 * <p><b>Threads.</b> Any; nothing here may wait.
 */
public interface RequestLeg extends AutoCloseable {

  /**
   * Returns how this address wants bodies written, {@code msgpack} or {@code json}; null if it is
   * of another transport.
   *
   * @throws IllegalArgumentException if nothing can be sent there
   */
  @Nullable String bodyFormat(Address address);

  /** Sends a request and tells it what becomes of it, here or on any thread. */
  void send(Address address, OutgoingRequest request);

  /** Lets go of a request that has ended, whether or not it was sent; any number of times. */
  void forget(OutgoingRequest request);

  /**
   * Takes messages for an address.
   *
   * @param taker takes one message, and returns whether to acknowledge it
   * @throws IllegalArgumentException if the address is of another transport
   */
  Subscription serve(Address address, Predicate<byte[]> taker);

  /** Ends serving; requests that await an acknowledgement go without. */
  @Override
  void close();
}
