// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Wakes requests that wait for a worker when the directory names one. */
final class ReplacementWatch implements WorkerDirectory.Listener {

  private final ConcurrentSkipListSet<Repair> waiting = new ConcurrentSkipListSet<>();
  private @Nullable Subscription subscription;

  private ReplacementWatch() {}

  static ReplacementWatch of(@Nullable WorkerDirectory directory, Environment environment) {
    ReplacementWatch watch = new ReplacementWatch();
    if (directory != null) {
      Scheduler lane = environment.lanes().lane("replacements");
      watch.subscription = directory.watch(lane, watch);
    }
    return watch;
  }

  /** Wakes a request with every worker that appears from now on. */
  void await(Repair request) {
    waiting.add(request);
  }

  void forget(Repair request) {
    waiting.remove(request);
  }

  @Override
  public void added(WorkerInstance instance) {
    waiting.forEach(request -> request.workerAppeared(instance.workerId()));
  }

  @Override
  public void removed(WorkerInstance instance) {
    // Whoever needs it finds out by its stream.
  }

  void close() {
    Subscription open = subscription;
    if (open == null) {
      return;
    }
    try {
      open.close();
    } catch (RejectedExecutionException laneClosed) {
      subscription = null;
    }
  }
}
