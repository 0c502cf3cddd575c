// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import java.util.Objects;

/**
 * Where one publisher of one topic is reached; scope, topic and publisher name it.
 *
 * @param publisherId unsigned 64-bit pattern
 * @param address such as {@code zmq} with {@code tcp://10.0.0.5:41234}
 */
public record EventChannel(EventScope scope, String topic, long publisherId, Address address) {

  public EventChannel {
    Objects.requireNonNull(scope, "scope");
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(address, "address");
  }

  /** Returns whether both speak of the same publisher, wherever it is. */
  public boolean isSamePublisher(EventChannel other) {
    return publisherId == other.publisherId
        && topic.equals(other.topic)
        && scope.equals(other.scope);
  }

  @Override
  public String toString() {
    return "EventChannel[scope="
        + scope
        + ", topic="
        + topic
        + ", publisherId="
        + Long.toUnsignedString(publisherId)
        + ", address="
        + address
        + "]";
  }
}
