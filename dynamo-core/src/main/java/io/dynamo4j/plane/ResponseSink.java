// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import io.dynamo4j.core.model.DynamoException;

/**
 * The worker's end of one stream.
 *
 * <p>After {@link #complete}, {@link #fail}, a cancel or a broken connection every call is ignored,
 * so that a worker need not race its peer.
 *
 * <p><b>Threads.</b> One at a time.
 *
 * @param <R> response item type
 */
public interface ResponseSink<R> {

  /**
   * Runs {@code action} once when the client cancels, the stream's deadline passes or the
   * connection breaks; soon if that has happened, never after the worker has ended the stream
   * itself. Actions given one after the other run in that order.
   *
   * <p><b>Threads.</b> On a lane or thread of the worker's side, never inline in the call that
   * caused it.
   */
  void onCancel(Runnable action);

  /** Sends the response prologue; implied by the first {@link #next}. */
  void open();

  /**
   * Sends one item.
   *
   * @return false if nobody will see it, because the stream has ended
   */
  boolean next(R item);

  /** Ends the stream with the end mark; sends the prologue first if it was not sent. */
  void complete();

  /**
   * Ends the stream with a typed error, which the client sees after the items before it. Without a
   * prologue before it this refuses the request.
   */
  void fail(DynamoException error);
}
