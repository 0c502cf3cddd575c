// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

/**
 * A recorded decision whose request still runs. It matters where blocks are forgotten for want of
 * room ({@link ApproximateCachePolicy#LRU}): those of running requests are not.
 *
 * <p><b>Threads.</b> Any; calls never wait. Their effect is visible some time later.
 */
public interface DecisionLease extends AutoCloseable {

  /** Returns a lease on nothing. */
  static DecisionLease none() {
    return NoDecisionLease.INSTANCE;
  }

  /** Says that the request filled, or began, one block of its own beyond its prompt. */
  void addOutputBlock();

  /** Ends the request; only the first call does anything. */
  @Override
  void close();
}
