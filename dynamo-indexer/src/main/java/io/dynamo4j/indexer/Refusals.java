// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Subscription;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;

/** Who wants to hear of refused events. Any thread. */
final class Refusals {

  /** One listener and its lane; identity is what tells two apart. */
  private static final class Watch {
    private final Scheduler lane;
    private final RefusalListener listener;
    private volatile boolean closed;

    Watch(Scheduler lane, RefusalListener listener) {
      this.lane = Objects.requireNonNull(lane, "lane");
      this.listener = Objects.requireNonNull(listener, "listener");
    }

    void report(RouterEvent event, EventOutcome outcome) {
      if (!closed) {
        listener.refused(event, outcome);
      }
    }
  }

  private final List<Watch> watches = new CopyOnWriteArrayList<>();

  Subscription watch(Scheduler lane, RefusalListener listener) {
    Watch watch = new Watch(lane, listener);
    watches.add(watch);
    return () -> {
      watch.closed = true;
      watches.remove(watch);
    };
  }

  void report(RouterEvent event, EventOutcome outcome) {
    for (Watch watch : watches) {
      try {
        watch.lane.execute(() -> watch.report(event, outcome));
      } catch (RejectedExecutionException e) {
        // Its lane is gone and will never run again.
        watch.closed = true;
      }
    }
  }
}
