// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.dynamo4j.core.model.ErrorType;

/**
 * A request on its way to a worker, as a {@link RequestLeg} sees it.
 *
 * <p><b>Threads.</b> Any.
 */
public interface OutgoingRequest {

  /** Returns the request's id, which all attempts share. */
  String requestId();

  /** Returns what names this attempt, 128 bits as text: which of the caller's answers it awaits. */
  String subject();

  /** Returns what goes on the wire, once. */
  byte[] frame();

  /** Returns whether it is still to be sent. */
  boolean isWanted();

  /** It is written; the worker owes an acknowledgement. */
  void sent();

  /** The worker replied: with nothing if it accepted, else with why not. */
  void acknowledged(String text);

  /** There will be no reply. */
  void unanswered(ErrorType type, String what);
}
