// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.dynamo4j.core.model.ErrorType;

/** A request on its way to a worker, as the pool of connections sees it. */
interface PooledRequest {

  /** Returns what goes on the wire. */
  byte[] frame();

  /** Returns whether it is still to be sent. */
  boolean isWanted();

  /** It was written; the worker owes an acknowledgement. */
  void sent();

  /** The worker replied: with nothing if it accepted, else with why not. */
  void acknowledged(String text);

  /** There will be no reply. */
  void unanswered(ErrorType type, String what);
}
