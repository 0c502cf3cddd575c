// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.transport;

import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What a worker wants done when its peer leaves: run once, on the worker's lane, or dropped.
 *
 * <p><b>Threads.</b> Any; lock-free.
 */
public final class CancelHook {
  private final AtomicReference<@Nullable Runnable> action = new AtomicReference<>();

  private CancelHook() {}

  /** Returns a hook without an action, of a peer that is there. */
  public static CancelHook create() {
    return new CancelHook();
  }

  /**
   * Adds an action after those already here, or runs it if the peer has left.
   *
   * @param lane where it runs then; null if there is none yet, and the action is lost
   */
  public void add(Runnable added, @Nullable Executor lane) {
    Objects.requireNonNull(added, "added");
    while (true) {
      Runnable before = action.get();
      if (before == Mark.FIRED) {
        post(added, lane);
        return;
      }
      if (before == Mark.DROPPED
          || action.compareAndSet(before, before == null ? added : both(before, added))) {
        return;
      }
    }
  }

  /** The peer has left: what was added runs on {@code lane}. */
  public void fire(@Nullable Executor lane) {
    while (true) {
      Runnable before = action.get();
      if (before == Mark.FIRED || before == Mark.DROPPED) {
        return;
      }
      if (action.compareAndSet(before, Mark.FIRED)) {
        if (before != null) {
          post(before, lane);
        }
        return;
      }
    }
  }

  /** The worker has ended the stream itself: nothing to cancel any more. */
  public void drop() {
    action.set(Mark.DROPPED);
  }

  private static void post(Runnable task, @Nullable Executor lane) {
    if (lane == null) {
      return;
    }
    try {
      lane.execute(task);
    } catch (RejectedExecutionException gone) {
      // The worker's lane is closed, and with the worker went what the action would have freed.
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
