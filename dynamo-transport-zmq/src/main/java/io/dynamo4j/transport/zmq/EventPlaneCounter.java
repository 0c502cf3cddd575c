// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

/** What a {@link ZmqEventPlane} counts. */
public enum EventPlaneCounter {
  /** Messages of other processes that were read and are wanted. */
  RECEIVED,
  /** Messages that cannot be decoded, or whose frames contradict the envelope. */
  UNREADABLE,
  /** Messages of a topic that only begins as a wanted one does. */
  OTHER_TOPIC,
  /** Messages of another publisher than the directory names for the connection. */
  WRONG_PUBLISHER,
  /** Numbers of publishers that were passed over: envelopes lost on the way. */
  MISSED,
  /** Messages that came again, as they do through several brokers. */
  REPEATED,
  /** Publishers whose numbers began anew. */
  RESTARTS,
  /** Messages of publishers beyond as many as are kept track of. */
  UNTRACKED,
  /** Envelopes that found a subscription's queue full. */
  SUBSCRIBER_DROPS,
  /** Published envelopes that found the queue to the socket full. */
  PUBLISH_DROPS,
  /** Times that a subscriber of another process was found full; it then misses envelopes. */
  FULL_SUBSCRIBERS,
  /** Addresses that could not be used, each time that one was tried. */
  FAILED_ADDRESSES,
  /** Addresses that the policy forbids. */
  REFUSED_ADDRESSES
}
