// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.simulation;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.Scheduler;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;

/**
 * A serial lane in virtual time.
 *
 * <p>A lane belongs to one life of its node. After a crash its tasks vanish, those sent to it later
 * included, as messages to a dead process do; after an orderly shutdown it rejects them.
 */
final class SimulatedLane implements Scheduler {
  final SimulatedNode node;
  final NodeLife life;
  final long id;

  private final Simulation simulation;
  private final String name;
  private long stalledUntilNanos;
  private long lastExecuteNanos;
  private long tieInstant = -1;
  private long tie;

  SimulatedLane(Simulation simulation, SimulatedNode node, NodeLife life, String name, long id) {
    this.simulation = simulation;
    this.node = node;
    this.life = life;
    this.name = name;
    this.id = id;
  }

  @Override
  public NanoClock clock() {
    return node.clock();
  }

  @Override
  public void execute(Runnable task) {
    Objects.requireNonNull(task, "task");
    if (isOpen()) {
      long time = Math.max(simulation.nowNanos() + simulation.drawJitter(), lastExecuteNanos);
      lastExecuteNanos = time;
      simulation.submit(this, task, time, Long.MIN_VALUE);
    }
  }

  @Override
  public Cancellable schedule(Runnable task, long delayNanos) {
    Objects.requireNonNull(task, "task");
    if (!isOpen()) {
      return SimulatedLane::neverRan;
    }
    NodeClock clock = node.clock();
    long localDue = NodeClock.saturatedAdd(clock.nanoTime(), Math.max(delayNanos, 0));
    long due = Math.max(clock.toVirtual(localDue), simulation.nowNanos());
    return simulation.submit(this, task, due, localDue);
  }

  boolean isDead() {
    return life.isOver();
  }

  boolean cancel(SimulatedTask task) {
    return simulation.cancel(task);
  }

  /** Puts off the lane's tasks until {@code untilNanos}, virtual time. */
  void stallUntil(long untilNanos) {
    stalledUntilNanos = Math.max(stalledUntilNanos, untilNanos);
  }

  long stalledUntilNanos() {
    return Math.max(stalledUntilNanos, life.stalledUntilNanos());
  }

  /** Returns the lane's rank among lanes at one instant: drawn from the seed, or 0. */
  long tieAt(long timeNanos) {
    if (timeNanos != tieInstant) {
      tieInstant = timeNanos;
      tie = simulation.drawTie(id, timeNanos);
    }
    return tie;
  }

  private boolean isOpen() {
    simulation.checkThread();
    if (life.isClosed()) {
      throw new RejectedExecutionException("lane is closed: lane=" + this);
    }
    return !life.isOver();
  }

  /** What cancelling a task answers that was sent to a crashed lane: it never runs. */
  private static boolean neverRan() {
    return true;
  }

  @Override
  public String toString() {
    return node.name() + "/" + name;
  }
}
