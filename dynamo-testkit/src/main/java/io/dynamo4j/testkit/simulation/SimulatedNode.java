// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.simulation;

import io.dynamo4j.blocking.Gate;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Lanes;
import io.dynamo4j.core.runtime.Scheduler;
import java.time.InstantSource;
import java.util.function.Consumer;

/**
 * One simulated process: its lanes, its clock, and what can befall it.
 *
 * <p>A lane belongs to the life in which it was made. {@link #crash} ends that life; lanes made
 * afterwards belong to the next, so a restart is making the components anew from {@link
 * #environment()}.
 *
 * <p><b>Threads.</b> Only the one that drives the simulation.
 */
public final class SimulatedNode implements Lanes {
  private final Simulation simulation;
  private final String name;
  private final NodeClock clock;
  private NodeLife life = new NodeLife();
  private int lifeNumber;
  private boolean laneMade;

  SimulatedNode(Simulation simulation, String name) {
    this.simulation = simulation;
    this.name = name;
    this.clock = new NodeClock(simulation);
  }

  public String name() {
    return name;
  }

  @Override
  public Scheduler lane(String laneName) {
    laneMade = true;
    return new SimulatedLane(simulation, this, life, laneName, simulation.nextLaneId());
  }

  /**
   * Returns what components of the node's present life take: its lanes, its wall clock, and chance
   * that is a function of the run's seed, the node's name and the number of the life.
   */
  public Environment environment() {
    InstantSource wallClock = () -> simulation.wallStart().plusNanos(clock.nanoTime());
    return new Environment(
        this, wallClock, simulation.random("node:" + name).split("life:" + lifeNumber));
  }

  /** Returns the number of the present life, from 0. */
  public int lifeNumber() {
    return lifeNumber;
  }

  /**
   * Kills the process: pending tasks of its lanes vanish unrun, and whatever is sent to those lanes
   * later vanishes too. A task of the node that is running now goes on to its end.
   */
  public void crash() {
    endLife(false);
  }

  /**
   * Ends the process in order: pending tasks are dropped and the lanes reject from now on with
   * {@link java.util.concurrent.RejectedExecutionException}.
   */
  public void shutdown() {
    endLife(true);
  }

  /**
   * Freezes all lanes of the present life until {@code untilNanos} of virtual time (a collector
   * pause, a stopped process): tasks due earlier run then, in their order.
   */
  public void stallUntil(long untilNanos) {
    life.stallUntil(untilNanos);
  }

  /** Freezes one lane of this node until {@code untilNanos} of virtual time. */
  public void stallLaneUntil(Scheduler lane, long untilNanos) {
    if (!(lane instanceof SimulatedLane simulated) || simulated.node != this) {
      throw new IllegalArgumentException(
          "lane is not of this node: lane=" + lane + ", node=" + name);
    }
    simulated.stallUntil(untilNanos);
  }

  /**
   * Moves the node's clock forward and sets its rate from now on. Timers still never run early by
   * this clock.
   *
   * @param addedNanos added to the reading; negative only before the node's first lane is made,
   *     since a lane's clock never goes back
   * @param ratePpm how much faster than virtual time it runs, in parts per million
   */
  public void adjustClock(long addedNanos, int ratePpm) {
    if (addedNanos < 0 && laneMade) {
      throw new IllegalArgumentException(
          "clock must not go back: node=" + name + ", addedNanos=" + addedNanos);
    }
    if (ratePpm <= -1_000_000 || ratePpm >= 1_000_000) {
      throw new IllegalArgumentException("rate is out of range: ratePpm=" + ratePpm);
    }
    clock.adjust(addedNanos, ratePpm);
  }

  /**
   * Runs a task when no task of the present instant is left, unless the node's life ends before;
   * see {@link Simulation#atEndOfInstant}.
   */
  public void atEndOfInstant(Runnable task) {
    NodeLife current = life;
    simulation.atEndOfInstant(
        () -> {
          if (!current.isOver()) {
            task.run();
          }
        });
  }

  /**
   * Starts a thread of this node that may wait, for code that blocks its caller. It runs only while
   * it holds the baton: from an event of this node until it waits at its gate or ends, so the run
   * stays reproducible. It must wait nowhere else.
   *
   * @param body runs as the thread; what it throws fails the run
   */
  public BatonThread startThread(String threadName, Consumer<Gate> body) {
    return BatonThread.start(simulation, lane(threadName), threadName, body);
  }

  NodeClock clock() {
    return clock;
  }

  private void endLife(boolean orderly) {
    life.end(orderly);
    life = new NodeLife();
    lifeNumber++;
    simulation.dropDeadLanes();
  }

  @Override
  public String toString() {
    return "SimulatedNode[name=" + name + ", life=" + lifeNumber + "]";
  }
}
