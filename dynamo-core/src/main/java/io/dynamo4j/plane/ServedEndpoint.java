// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

/** Handle of a worker's side of the request plane. */
public interface ServedEndpoint extends AutoCloseable {

  /** Returns the number of requests taken in that neither side has ended. */
  int openStreamCount();

  /**
   * Refuses new requests from now on; open streams go on to their end. The address may be served
   * again at once. Idempotent.
   */
  @Override
  void close();

  /**
   * Breaks every open stream and refuses new requests, as the end of the process would: clients see
   * {@code DISCONNECTED}, frames under way may be lost, and every action given to {@link
   * ResponseSink#onCancel} runs. May follow {@link #close}.
   */
  void abort();
}
