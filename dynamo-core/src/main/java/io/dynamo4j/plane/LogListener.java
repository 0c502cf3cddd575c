// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

/** Receives what {@link DurableEventLog#consume} reads, on the lane given there. */
public interface LogListener {

  /** The log knows the reader: nothing behind what it acknowledges is purged from now on. */
  void ready();

  /**
   * The next entry. Numbers only grow; one that is left out is gone from the log. No more come than
   * the log's window allows beyond what was acknowledged.
   */
  void entry(LogEntry entry);

  /**
   * Reading has ended; nothing more comes. While a server is away it does not end, it waits.
   *
   * @param failure {@code CONSUMER_GONE} if the log has forgotten the reader
   */
  void failed(DurableLogException failure);
}
