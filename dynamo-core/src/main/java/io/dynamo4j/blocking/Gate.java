// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.blocking;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.NanoClock;
import java.util.function.BooleanSupplier;

/**
 * The one way to wait: until a condition holds or a deadline passes. A simulation supplies its own,
 * so that a waiting thread costs virtual time only.
 *
 * <p><b>Threads.</b> Any number may wait and signal. A lane must not wait; in simulation that
 * throws {@link IllegalStateException}.
 */
public interface Gate {

  /**
   * Waits until {@code done} holds.
   *
   * @param done asked again after every {@link #signal}; must be cheap and free of side effects,
   *     and reads only what is safe to read from any thread
   * @param deadlineNanos when to give up, by {@link #clock()}
   * @return whether {@code done} held; false means that the deadline passed
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  boolean await(BooleanSupplier done, long deadlineNanos) throws InterruptedException;

  /** Lets every waiting thread ask its condition again; call it after changing what they ask. */
  void signal();

  /** Returns the clock that deadlines are counted by. */
  NanoClock clock();

  /** Returns a gate for real threads, platform or virtual, that counts by {@code clock}. */
  static Gate of(NanoClock clock) {
    return new LockGate(clock);
  }

  /** Returns a gate for real threads that counts by the clock of {@code environment}. */
  static Gate over(Environment environment) {
    return new LockGate(environment.lanes().lane("gate").clock());
  }
}
