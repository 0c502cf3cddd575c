// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock that is held for about as long as it takes to put a thread to sleep and far less than to
 * wake it: whoever finds it taken looks again a bounded number of times before it sleeps, so that
 * threads sleep mostly where the holder was put aside.
 */
final class RouterLock extends ReentrantLock {
  private static final long serialVersionUID = 1L;
  private static final int LOOKS = 500;

  @Override
  public void lock() {
    if (tryLock()) {
      return;
    }
    for (int i = 0; i < LOOKS; i++) {
      if (!isLocked() && tryLock()) {
        return;
      }
    }
    super.lock();
  }
}
