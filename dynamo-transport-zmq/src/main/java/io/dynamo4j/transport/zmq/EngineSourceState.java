// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

/** What is known of the connection to one rank of an engine, the better the later. */
public enum EngineSourceState {
  /** Its configuration says that it publishes nothing; there is no socket. */
  DISABLED,
  /** Closed, here or with its transport. */
  CLOSED,
  /** The address cannot be used; it is tried again. */
  FAILED,
  /** Nobody who speaks ZeroMQ is at the address; it is tried again and again. */
  CONNECTING,
  /** Connected, and no batch has come for longer than the time that counts as silence. */
  SILENT,
  /** Connected; no batch has come yet on this connection. */
  CONNECTED,
  /** Connected, and batches have come of late. */
  RECEIVING
}
