// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.Scheduler;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A lane that knows whether it is running, can be held up, and keeps what its tasks throw instead
 * of letting it end a simulation.
 */
public final class ProbeLane implements Scheduler {
  private final Scheduler lane;
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();
  private final ConcurrentLinkedQueue<Runnable> held = new ConcurrentLinkedQueue<>();
  private volatile boolean holding;
  private volatile @Nullable Thread owner;

  private ProbeLane(Scheduler lane) {
    this.lane = lane;
  }

  /** Returns a probe over {@code lane}. */
  public static ProbeLane over(Scheduler lane) {
    return new ProbeLane(Objects.requireNonNull(lane, "lane"));
  }

  /** Returns true if the caller is one of this lane's tasks. */
  public boolean isCurrent() {
    return owner == Thread.currentThread();
  }

  /** Returns what tasks threw. */
  public List<Throwable> failures() {
    return List.copyOf(failures);
  }

  /** Keeps tasks back until {@link #release}, as a lane does that is busy. */
  public void hold() {
    holding = true;
  }

  /** Sends what was kept back. */
  public void release() {
    holding = false;
    for (Runnable task = held.poll(); task != null; task = held.poll()) {
      lane.execute(task);
    }
  }

  @Override
  public NanoClock clock() {
    return lane.clock();
  }

  @Override
  public void execute(Runnable task) {
    Runnable probed = probed(task);
    if (holding) {
      held.add(probed);
    } else {
      lane.execute(probed);
    }
  }

  @Override
  public Cancellable schedule(Runnable task, long delayNanos) {
    return lane.schedule(probed(task), delayNanos);
  }

  private Runnable probed(Runnable task) {
    Objects.requireNonNull(task, "task");
    return () -> {
      owner = Thread.currentThread();
      try {
        task.run();
      } catch (RuntimeException | Error thrown) {
        failures.add(thrown);
      } finally {
        owner = null;
      }
    };
  }
}
