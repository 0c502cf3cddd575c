// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

/** Who an error speaks about. */
public enum Origin {
  /** The way to the worker: connection, stream, acknowledgement. */
  TRANSPORT,
  /** The worker itself, in its own words. */
  BACKEND,
  /** Room: of one worker or of the whole pool. */
  CAPACITY,
  /** The request, its caller included. */
  REQUEST,
  /** This process. */
  LOCAL
}
