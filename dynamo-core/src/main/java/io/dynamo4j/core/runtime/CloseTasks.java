// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.runtime;

import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Who wants to know that lanes have closed; each is told once, however often and from how many
 * threads that is noticed.
 *
 * <p><b>Threads.</b> Any.
 */
final class CloseTasks {
  private static final String NAME = "close";

  private final Queue<CloseTask> tasks = new ConcurrentLinkedQueue<>();
  private final LaneFailureHandler failureHandler;
  private volatile boolean closed;

  CloseTasks(LaneFailureHandler failureHandler) {
    this.failureHandler = failureHandler;
  }

  /** Keeps a task, or runs it if the lanes are closed. */
  Cancellable add(Runnable task) {
    CloseTask added = new CloseTask(Objects.requireNonNull(task, "task"));
    tasks.add(added);
    // After it was added: either this sees the close, or the close sees the task.
    if (closed) {
      added.run();
    }
    return added;
  }

  /** Tells everybody; a task that throws keeps no other from running. */
  void close() {
    closed = true;
    for (CloseTask task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  private final class CloseTask implements Cancellable {
    private final AtomicReference<@Nullable Runnable> body;

    CloseTask(Runnable body) {
      this.body = new AtomicReference<>(body);
    }

    void run() {
      Runnable taken = body.getAndSet(null);
      if (taken == null) {
        return;
      }
      try {
        taken.run();
      } catch (Throwable thrown) {
        tell(thrown);
      }
    }

    private void tell(Throwable thrown) {
      try {
        failureHandler.taskFailed(NAME, thrown);
      } catch (Throwable handlerFailed) {
        // The others are told all the same, and there is nobody left to tell of this.
      }
    }

    @Override
    public boolean cancel() {
      tasks.remove(this);
      return body.getAndSet(null) != null;
    }
  }
}
