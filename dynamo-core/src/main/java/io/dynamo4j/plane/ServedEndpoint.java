// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

/** Handle of a worker's side of the request plane. */
public interface ServedEndpoint extends AutoCloseable {

  /** Returns the number of streams that are open. */
  int openStreamCount();

  /** Refuses new requests from now on; open streams go on to their end. Idempotent. */
  @Override
  void close();

  /** Breaks every open stream and refuses new requests, as the end of the process would. */
  void abort();
}
