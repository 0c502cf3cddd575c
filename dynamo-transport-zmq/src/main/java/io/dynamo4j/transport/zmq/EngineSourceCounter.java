// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

/** What a source counts for each rank. */
public enum EngineSourceCounter {
  /** Batches handed to the listener, replayed ones included. */
  BATCHES,
  /** Batches handed to the listener that came by replay. */
  REPLAYED_BATCHES,
  /** Batches that nobody has any more. */
  LOST_BATCHES,
  /** Lives of the engine after the first. */
  RESTARTS,
  /** Connections to the engine's publisher. */
  CONNECTIONS,
  /** Requests for past batches. */
  REPLAYS,
  /** Requests that fell silent before their end. */
  REPLAY_TIMEOUTS,
  /** Published messages with a number of frames that no engine sends. */
  BAD_FRAMES,
  /** Published or replayed messages whose number has not eight bytes. */
  BAD_SEQUENCES,
  /** Replies to a request for past batches with a number of frames that no engine sends. */
  BAD_REPLIES,
  /** Batches that are larger than any decoder takes. */
  TOO_LARGE
}
