// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.memory;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What a worker wants done when its peer leaves: run once, on the endpoint's lane, or dropped.
 *
 * <p><b>Threads.</b> Any; lock-free.
 */
final class CancelHook {
  private final AtomicReference<@Nullable Runnable> action = new AtomicReference<>();

  /** Adds an action after those already here, or runs it if the peer has left. */
  void add(Runnable added, @Nullable MemoryEndpoint<?, ?> endpoint) {
    while (true) {
      Runnable before = action.get();
      if (before == Mark.FIRED) {
        post(added, endpoint);
        return;
      }
      if (before == Mark.DROPPED
          || action.compareAndSet(before, before == null ? added : both(before, added))) {
        return;
      }
    }
  }

  /** The peer has left. */
  void fire(@Nullable MemoryEndpoint<?, ?> endpoint) {
    while (true) {
      Runnable before = action.get();
      if (before == Mark.FIRED || before == Mark.DROPPED) {
        return;
      }
      if (action.compareAndSet(before, Mark.FIRED)) {
        if (before != null) {
          post(before, endpoint);
        }
        return;
      }
    }
  }

  /** The worker has ended the stream itself: nothing to cancel any more. */
  void drop() {
    action.set(Mark.DROPPED);
  }

  private static void post(Runnable task, @Nullable MemoryEndpoint<?, ?> endpoint) {
    // A closed lane means that the worker is gone, and with it what the action would have freed.
    if (endpoint != null) {
      endpoint.post(task);
    }
  }

  private static Runnable both(Runnable first, Runnable second) {
    return () -> {
      try {
        first.run();
      } finally {
        second.run();
      }
    };
  }

  /** States without an action. */
  private enum Mark implements Runnable {
    FIRED,
    DROPPED;

    @Override
    public void run() {}
  }
}
