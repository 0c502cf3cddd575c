// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.simulation;

import io.dynamo4j.blocking.Gate;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time for any number of nodes, played by one thread.
 *
 * <p>Tasks run in the order of (virtual time, tie, call order); the tie is drawn per lane and
 * instant in {@link Mode#RANDOM_TIES}, so lanes interleave at random while each stays first in,
 * first out. An instant has two phases: its tasks, then, when none is left, what was given to
 * {@link #atEndOfInstant}. The whole run is a function of the seed and of what the tasks do.
 *
 * <p>A task that throws ends the run at once with a {@link SimulationFailure}; after that nothing
 * runs any more.
 *
 * <p><b>Threads.</b> Every method, and every lane, is for the thread that drives the simulation;
 * another thread's call throws {@link IllegalStateException}, since it would not be reproducible.
 *
 * <p><b>Cost.</b> One object an event; about 0.1 µs.
 */
public final class Simulation {
  private final long seed;
  private final Mode mode;
  private final String scenario;
  private final Instant wallStart;
  private final RandomSource random;
  private final RandomSource jitterRandom;
  private final long jitterBoundNanos;
  private final RunLimits limits;
  private final TraceHash trace;
  private final EventRing ring = new EventRing();
  private final TaskQueue queue = new TaskQueue();
  private final ArrayDeque<Runnable> endOfInstant = new ArrayDeque<>();
  private final Map<String, SimulatedNode> nodes = new LinkedHashMap<>();
  private final Scheduler controller;

  private Thread driver = Thread.currentThread();
  private long nowNanos;
  private long lastSequence;
  private long lastLaneId;
  private boolean running;
  private boolean inEvent;
  private @Nullable Object current;
  private @Nullable SimulationFailure failure;
  private @Nullable Runnable afterEvent;

  private Simulation(Builder builder) {
    this.seed = builder.seed;
    this.mode = builder.mode;
    this.scenario = builder.scenario;
    this.wallStart = builder.wallStart;
    this.random = RandomSource.seeded(seed);
    this.jitterRandom = random.split("execute-jitter");
    this.jitterBoundNanos =
        builder.maxExecuteJitterNanos == 0
            ? 0
            : (long) (jitterRandom.nextDouble() * builder.maxExecuteJitterNanos) + 1;
    this.limits =
        new RunLimits(
            builder.maxEvents, builder.maxEventsPerMilli, builder.maxNanosWithoutProgress);
    this.trace = new TraceHash(builder.checkpointShift);
    this.controller = node("controller").lane("controller");
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Returns the node of this name, made at the first call. */
  public SimulatedNode node(String name) {
    return nodes.computeIfAbsent(name, key -> new SimulatedNode(this, key));
  }

  /** Returns the environment of a node's present life; see {@link SimulatedNode#environment}. */
  public Environment environment(String nodeName) {
    return node(nodeName).environment();
  }

  /** Returns the lane of whoever stages the run: arrivals, faults, checks. */
  public Scheduler controller() {
    return controller;
  }

  /** Returns chance for one purpose of the harness, a function of the seed and the purpose. */
  public RandomSource random(String purpose) {
    return random.split(purpose);
  }

  /** Returns virtual nanoseconds since the run's start. */
  public long nowNanos() {
    return nowNanos;
  }

  /** Returns the number of events that have run. */
  public long eventCount() {
    return trace.eventCount();
  }

  /** Returns a hash of all events and notes so far: equal for equal runs. */
  public long traceHash() {
    return trace.value();
  }

  /** Returns the running hash after every 2^k events; see {@link Builder#checkpointShift}. */
  public long[] traceCheckpoints() {
    return trace.checkpoints();
  }

  /** Returns the number of tasks that are still to run, cancelled ones excluded. */
  public int pendingTaskCount() {
    return queue.liveCount() + endOfInstant.size();
  }

  /** Adds something that the run did to its trace. */
  public void note(String note) {
    trace.addNote(note);
    ring.add(nowNanos, note, trace.eventCount());
  }

  /** Adds a number to the trace; unlike the text form it is not kept for failure reports. */
  public void note(long value) {
    trace.addNote(value);
  }

  /** Resets the guard against runs that go on without getting anywhere. */
  public void noteProgress() {
    limits.noteProgress(nowNanos);
  }

  /** Runs {@code check} after every event from now on; what it throws fails the run. */
  public void afterEachEvent(Runnable check) {
    this.afterEvent = Objects.requireNonNull(check, "check");
  }

  /**
   * Runs a task once no task of the present instant is left. Tasks that it creates for this instant
   * run next, before further tasks of this kind; those run in call order.
   */
  public void atEndOfInstant(Runnable task) {
    checkThread();
    endOfInstant.add(Objects.requireNonNull(task, "task"));
  }

  /** Runs until no task is left. */
  public void run() {
    enter();
    try {
      while (step(Long.MAX_VALUE)) {}
    } finally {
      running = false;
    }
  }

  /** Runs every task that is due by {@code untilNanos} and moves virtual time there. */
  public void runUntil(long untilNanos) {
    enter();
    try {
      while (step(untilNanos)) {}
      nowNanos = Math.max(nowNanos, untilNanos);
    } finally {
      running = false;
    }
  }

  /** Runs for {@code nanos} of virtual time from now. */
  public void runFor(long nanos) {
    runUntil(NodeClock.saturatedAdd(nowNanos, nanos));
  }

  /**
   * Runs until {@code stage} is complete and returns its value; only outside of any event.
   *
   * @throws SimulationFailure of kind {@code DEADLOCK} if no task is left before that
   * @throws CompletionException if the stage fails; the cause is its failure
   */
  public <T extends @Nullable Object> T await(CompletionStage<T> stage) {
    Completion<T> completion = new Completion<>();
    stage.whenComplete(completion::set);
    enter();
    try {
      while (!completion.isDone()) {
        if (!step(Long.MAX_VALUE)) {
          throw fail(SimulationFailure.Kind.DEADLOCK, null);
        }
      }
    } finally {
      running = false;
    }
    return completion.value();
  }

  /** Returns one line that identifies this point of this run. */
  public String replayLine() {
    return "seed="
        + seed
        + ", mode="
        + mode
        + (scenario.isEmpty() ? "" : ", scenario=" + scenario)
        + ", event="
        + trace.eventCount()
        + ", timeNanos="
        + nowNanos
        + ", lane="
        + current
        + ", traceHash="
        + Long.toHexString(trace.value());
  }

  /**
   * Returns a gate for the thread that drives the simulation: waiting at it, outside of any event,
   * runs the simulation until the condition holds or virtual time reaches the deadline.
   */
  public Gate gate() {
    return new PumpingGate(this, controller.clock());
  }

  /** Runs until {@code done} holds or virtual time has reached {@code deadlineNanos}. */
  boolean pump(BooleanSupplier done, long deadlineNanos) {
    enter();
    try {
      while (!done.getAsBoolean()) {
        if (nowNanos >= deadlineNanos) {
          return false;
        }
        if (!step(deadlineNanos)) {
          nowNanos = deadlineNanos;
        }
      }
      return true;
    } finally {
      running = false;
    }
  }

  private void enter() {
    if (inEvent || running) {
      throw new IllegalStateException(
          "simulation must not be pumped from inside an event: " + replayLine());
    }
    if (failure != null) {
      throw new IllegalStateException("run has failed: " + failure.getMessage(), failure);
    }
    driver = Thread.currentThread();
    running = true;
  }

  /** Runs one event that is due by {@code untilNanos}; false if there is none. */
  private boolean step(long untilNanos) {
    SimulatedTask task = nextDue();
    if (!endOfInstant.isEmpty() && (task == null || task.timeNanos > nowNanos)) {
      runEvent(this, 0, 0, endOfInstant.remove());
      return true;
    }
    if (task == null || task.timeNanos > untilNanos) {
      return false;
    }
    queue.removeFirst();
    nowNanos = task.timeNanos;
    Runnable body = Objects.requireNonNull(task.body);
    task.body = null;
    runEvent(task.lane, task.lane.id, task.sequence, body);
    return true;
  }

  /** Returns the first task, after putting off those whose lane is stalled or whose clock lags. */
  private @Nullable SimulatedTask nextDue() {
    while (true) {
      SimulatedTask task = queue.peek();
      if (task == null) {
        return null;
      }
      long due = task.lane.stalledUntilNanos();
      if (task.localDueNanos != Long.MIN_VALUE) {
        NodeClock clock = task.lane.node.clock();
        if (clock.toLocal(task.timeNanos) < task.localDueNanos) {
          due = Math.max(due, clock.toVirtual(task.localDueNanos));
        }
      }
      if (due <= task.timeNanos) {
        return task;
      }
      queue.removeFirst();
      task.timeNanos = due;
      task.tie = task.lane.tieAt(due);
      queue.add(task);
    }
  }

  private void runEvent(Object source, long laneId, long sequence, Runnable body) {
    trace.addEvent(nowNanos, laneId, sequence);
    ring.add(nowNanos, source, sequence);
    current = source;
    SimulationFailure.Kind broken = limits.countEvent(nowNanos);
    if (broken != null) {
      throw fail(broken, null);
    }
    inEvent = true;
    try {
      body.run();
      if (afterEvent != null) {
        afterEvent.run();
      }
    } catch (Throwable thrown) {
      throw fail(SimulationFailure.Kind.TASK_FAILED, thrown);
    } finally {
      inEvent = false;
    }
  }

  private SimulationFailure fail(SimulationFailure.Kind kind, @Nullable Throwable cause) {
    String message = "run failed: kind=" + kind + ", " + replayLine();
    failure =
        new SimulationFailure(
            kind, cause == null ? message : message + ", cause=" + cause, cause, ring.lines());
    return failure;
  }

  SimulatedTask submit(SimulatedLane lane, Runnable body, long timeNanos, long localDueNanos) {
    SimulatedTask task = new SimulatedTask(lane, body, timeNanos, localDueNanos, ++lastSequence);
    queue.add(task);
    return task;
  }

  boolean cancel(SimulatedTask task) {
    checkThread();
    if (task.body == null) {
      return false;
    }
    task.body = null;
    queue.onCancelled();
    return true;
  }

  void dropDeadLanes() {
    checkThread();
    queue.dropDeadLanes();
  }

  /** Makes another thread the one that may call; returns the present one. */
  Thread handDriverTo(Thread next) {
    Thread present = driver;
    driver = next;
    return present;
  }

  void checkThread() {
    if (Thread.currentThread() != driver) {
      throw new IllegalStateException(
          "simulation was called from another thread: thread="
              + Thread.currentThread().getName()
              + ", "
              + replayLine());
    }
  }

  long nextLaneId() {
    return ++lastLaneId;
  }

  long drawTie(long laneId, long timeNanos) {
    return mode == Mode.REFERENCE ? 0 : Mixing.mix(seed ^ laneId, timeNanos);
  }

  long drawJitter() {
    return jitterBoundNanos == 0 ? 0 : (long) (jitterRandom.nextDouble() * jitterBoundNanos);
  }

  Instant wallStart() {
    return wallStart;
  }

  @Override
  public String toString() {
    return "end of instant";
  }

  /** Builds a {@link Simulation}: seed 0, random ties, no jitter, generous limits. */
  public static final class Builder {
    private long seed;
    private Mode mode = Mode.RANDOM_TIES;
    private String scenario = "";
    private Instant wallStart = Instant.parse("2026-01-01T00:00:00Z");
    private long maxExecuteJitterNanos;
    private long maxEvents = 1_000_000_000;
    private long maxEventsPerMilli = 2_000_000;
    private long maxNanosWithoutProgress = Long.MAX_VALUE;
    private int checkpointShift = 10;

    private Builder() {}

    public Builder seed(long seed) {
      this.seed = seed;
      return this;
    }

    public Builder mode(Mode mode) {
      this.mode = Objects.requireNonNull(mode, "mode");
      return this;
    }

    /** Names the run in replay lines. */
    public Builder scenario(String scenario) {
      this.scenario = Objects.requireNonNull(scenario, "scenario");
      return this;
    }

    /** Sets the calendar time at virtual time 0. */
    public Builder wallStart(Instant wallStart) {
      this.wallStart = Objects.requireNonNull(wallStart, "wallStart");
      return this;
    }

    /**
     * Delays every {@code execute} by 0..J ns, never past the lane's next; J is drawn from the
     * seed, up to this bound. 0 delays nothing.
     */
    public Builder maxExecuteJitterNanos(long nanos) {
      this.maxExecuteJitterNanos = atLeast(0, nanos, "maxExecuteJitterNanos");
      return this;
    }

    /** Bounds the events of the run. */
    public Builder maxEvents(long events) {
      this.maxEvents = atLeast(1, events, "maxEvents");
      return this;
    }

    /** Bounds the events within one virtual millisecond. */
    public Builder maxEventsPerMilli(long events) {
      this.maxEventsPerMilli = atLeast(1, events, "maxEventsPerMilli");
      return this;
    }

    /** Bounds virtual time between two {@link Simulation#noteProgress} calls; default unbounded. */
    public Builder maxNanosWithoutProgress(long nanos) {
      this.maxNanosWithoutProgress = atLeast(1, nanos, "maxNanosWithoutProgress");
      return this;
    }

    /** Keeps the trace hash every {@code 2^shift} events; default 10. */
    public Builder checkpointShift(int shift) {
      if (shift < 0 || shift > 30) {
        throw new IllegalArgumentException("shift must be in 0..30: checkpointShift=" + shift);
      }
      this.checkpointShift = shift;
      return this;
    }

    public Simulation build() {
      return new Simulation(this);
    }

    private static long atLeast(long minimum, long value, String name) {
      if (value < minimum) {
        throw new IllegalArgumentException(
            "value is too small: " + name + "=" + value + ", minimum=" + minimum);
      }
      return value;
    }
  }
}
