// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.simulation;

import io.dynamo4j.blocking.Gate;
import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.Scheduler;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A real thread inside a simulation, for code that blocks its caller.
 *
 * <p>It runs only while it holds the baton. An event of its lane passes the baton to it and stands
 * still; the thread passes it back when it waits at its gate or ends. So one thread runs at any
 * time, and the order is the simulation's.
 *
 * <p><b>Cost.</b> Two thread switches each time it is woken.
 */
public final class BatonThread implements AutoCloseable {
  private static final long STUCK_SECONDS = 30;

  private final Simulation simulation;
  private final Scheduler lane;
  private final Thread thread;
  private final Semaphore toThread = new Semaphore(0);
  private final Semaphore toDriver = new Semaphore(0);

  // Guarded by the baton.
  private boolean waiting = true;
  private boolean wakeSent;
  private boolean done;
  private boolean ended;
  private @Nullable Throwable thrown;

  private BatonThread(Simulation simulation, Scheduler lane, String name, Consumer<Gate> body) {
    this.simulation = simulation;
    this.lane = lane;
    this.thread = new Thread(() -> live(body), "simulated-" + name);
    thread.setDaemon(true);
  }

  static BatonThread start(
      Simulation simulation, Scheduler lane, String name, Consumer<Gate> body) {
    BatonThread baton = new BatonThread(simulation, lane, name, body);
    baton.thread.start();
    baton.wake();
    return baton;
  }

  /** Says whether the thread's body has returned or thrown. */
  public boolean isDone() {
    return done;
  }

  /**
   * Ends the thread if it still waits, for instance because its node crashed: its wait throws. Call
   * it after the run, from the thread that drives the simulation.
   */
  @Override
  public void close() {
    ended = true;
    if (!done) {
      passBaton();
    }
  }

  // On the driver's thread.

  private void wake() {
    if (waiting && !wakeSent && !done) {
      wakeSent = true;
      lane.execute(this::resume);
    }
  }

  private void resume() {
    wakeSent = false;
    if (done) {
      return;
    }
    passBaton();
    if (thrown != null) {
      throw new IllegalStateException(
          "simulated thread failed: thread=" + thread.getName(), thrown);
    }
  }

  private void passBaton() {
    Thread driver = simulation.handDriverTo(thread);
    waiting = false;
    toThread.release();
    try {
      if (!toDriver.tryAcquire(STUCK_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException(
            "simulated thread waits elsewhere than at its gate: thread=" + thread.getName());
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("driver was interrupted", interrupted);
    } finally {
      simulation.handDriverTo(driver);
    }
  }

  // On the simulated thread.

  private void live(Consumer<Gate> body) {
    toThread.acquireUninterruptibly();
    try {
      if (!ended) {
        body.accept(new BatonGate());
      }
    } catch (Ended unwound) {
      // The wait that close() ended.
    } catch (Throwable failure) {
      thrown = failure;
    } finally {
      done = true;
      toDriver.release();
    }
  }

  private void giveBaton() {
    waiting = true;
    toDriver.release();
    toThread.acquireUninterruptibly();
    if (ended) {
      throw new Ended();
    }
  }

  @Override
  public String toString() {
    return thread.getName();
  }

  private final class BatonGate implements Gate {
    @Override
    public boolean await(BooleanSupplier condition, long deadlineNanos) {
      if (Thread.currentThread() != thread) {
        throw new IllegalStateException(
            "lane must not wait: only thread=" + thread.getName() + " may wait at this gate");
      }
      Cancellable timer = null;
      while (!condition.getAsBoolean()) {
        long left = deadlineNanos - lane.clock().nanoTime();
        if (left <= 0) {
          return false;
        }
        if (timer == null) {
          timer = lane.schedule(BatonThread.this::wakeByTimer, left);
        }
        giveBaton();
      }
      if (timer != null) {
        timer.cancel();
      }
      return true;
    }

    @Override
    public void signal() {
      wake();
    }

    @Override
    public NanoClock clock() {
      return lane.clock();
    }
  }

  private void wakeByTimer() {
    if (waiting && !wakeSent) {
      resume();
    }
  }

  /** Unwinds the thread; an error, so that no ordinary handler of the code under test keeps it. */
  private static final class Ended extends Error {
    private static final long serialVersionUID = 1L;

    Ended() {
      super("simulated thread was ended", null, false, false);
    }
  }
}
