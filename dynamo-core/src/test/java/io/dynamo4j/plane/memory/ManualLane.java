// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.memory;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

/** A lane that runs when told, in time that passes when told. */
final class ManualLane implements Scheduler {
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private final List<Timer> timers = new ArrayList<>();
  private long now;
  private boolean closed;
  int executed;

  static Environment environment(ManualLane lane) {
    return new Environment(
        name -> lane, () -> Instant.ofEpochMilli(lane.now / 1_000_000), RandomSource.seeded(1));
  }

  @Override
  public NanoClock clock() {
    return () -> now;
  }

  @Override
  public void execute(Runnable task) {
    if (closed) {
      throw new RejectedExecutionException("lane is closed");
    }
    tasks.add(task);
  }

  @Override
  public Cancellable schedule(Runnable task, long delayNanos) {
    Timer timer = new Timer(now + Math.max(0, delayNanos), task);
    timers.add(timer);
    return () -> timers.remove(timer);
  }

  int timerCount() {
    return timers.size();
  }

  void close() {
    closed = true;
    tasks.clear();
  }

  /** Runs until nothing is pending. */
  void run() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      executed++;
      task.run();
    }
  }

  void advance(long nanos) {
    now += nanos;
    List<Timer> due =
        timers.stream()
            .filter(t -> t.due <= now)
            .sorted(Comparator.comparingLong(t -> t.due))
            .toList();
    timers.removeAll(due);
    due.forEach(t -> tasks.add(t.task));
    run();
  }

  private static final class Timer {
    final long due;
    final Runnable task;

    Timer(long due, Runnable task) {
      this.due = due;
      this.task = task;
    }
  }
}
