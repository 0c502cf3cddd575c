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
   * Runs {@code action} once when the client cancels or the connection breaks; at once if that has
   * happened. May run on any thread.
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

  /** Ends the stream with the end mark. */
  void complete();

  /** Ends the stream with a typed error. */
  void fail(DynamoException error);
}
