// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

/** What a {@link NatsEventPlane} counts. */
public enum NatsEventCounter {
  /** Envelopes that were read and are wanted, this process's own included. */
  RECEIVED,
  /** Foreign messages on our subjects: what is no envelope. */
  UNREADABLE,
  /** Envelopes that name another topic than their subject does. */
  OTHER_TOPIC,
  /** Numbers of publishers that were passed over: envelopes lost on the way. */
  MISSED,
  /** Envelopes dropped because newer ones had come, on a connection that replaced theirs. */
  LATE,
  /** Publishers whose numbers began anew. */
  RESTARTS,
  /** Envelopes of publishers beyond as many as are kept track of. */
  UNTRACKED,
  /** Envelopes that found a subscription's queue full. */
  SUBSCRIBER_DROPS,
  /** Messages that the client dropped because they came faster than they were read. */
  SLOW_CONSUMER_DROPS,
  /** Published envelopes that found the queue to the connection full, or no way out at its end. */
  PUBLISH_DROPS,
  /** Published envelopes that the server would not take for their size. */
  OVERSIZED
}
