// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.testkit.simulation.SimulatedNode;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Flow;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * One random run of clients, workers and faults over the in-memory request plane, checked against a
 * ledger of plain lists.
 */
@NullMarked
final class RequestPlaneFuzz {
  private static final int WORKERS = 3;
  private static final int STREAMS = 24;
  private static final long MILLI = 1_000_000;

  private final Simulation simulation;
  private final RandomSource random;
  private final UnaryOperator<ResponseSink<String>> sinks;
  private final UnaryOperator<Flow.Subscriber<String>> subscribers;
  private final int capacity;
  private final InMemoryRequestPlane<String, String> plane;
  private final List<FuzzedWorker> workers = new ArrayList<>();
  private final List<FuzzedStream> streams = new ArrayList<>();
  private final List<ProbeLane> lanes = new ArrayList<>();
  private boolean planeClosed;

  private RequestPlaneFuzz(
      long seed,
      UnaryOperator<ResponseSink<String>> sinks,
      UnaryOperator<Flow.Subscriber<String>> subscribers) {
    this.simulation = Simulation.builder().seed(seed).maxExecuteJitterNanos(20_000).build();
    this.random = simulation.random("fuzz");
    this.sinks = sinks;
    this.subscribers = subscribers;
    this.capacity = random.nextInt(3) == 0 ? 1 + random.nextInt(6) : 1_000;
    RandomSource survival = random.split("survival");
    this.plane =
        InMemoryRequestPlane.<String, String>builder(simulation.environment("gateway"))
            .bufferCapacity(capacity)
            .framesSurviveAbort(() -> survival.nextInt(2) == 0)
            .build();
  }

  /**
   * Plays one seed and returns what happened, by kind.
   *
   * @throws AssertionError if anything is not as the ledger says
   */
  static Map<String, Integer> run(
      long seed,
      UnaryOperator<ResponseSink<String>> sinks,
      UnaryOperator<Flow.Subscriber<String>> subscribers) {
    RequestPlaneFuzz fuzz = new RequestPlaneFuzz(seed, sinks, subscribers);
    fuzz.play();
    return fuzz.facts();
  }

  /** Returns the trace hash of one seed over the right plane. */
  static long traceHash(long seed) {
    RequestPlaneFuzz fuzz =
        new RequestPlaneFuzz(seed, UnaryOperator.identity(), UnaryOperator.identity());
    fuzz.play();
    return fuzz.simulation.traceHash();
  }

  private void play() {
    for (int i = 0; i < WORKERS; i++) {
      workers.add(new FuzzedWorker(i));
    }
    ProbeLane shared = lane("shared");
    for (int i = 0; i < STREAMS; i++) {
      ProbeLane lane = random.nextInt(2) == 0 ? shared : lane("stream-" + i);
      streams.add(new FuzzedStream(i, lane, workers.get(random.nextInt(WORKERS))));
    }
    simulation.run();
    streams.forEach(FuzzedStream::checkAtRest);
    planeClosed = true;
    plane.close();
    workers.forEach(worker -> worker.closedBy(simulation.nowNanos()));
    simulation.run();
    streams.forEach(FuzzedStream::checkAtEnd);
    for (FuzzedWorker worker : workers) {
      require(worker.openStreams() == 0, "open streams left: worker=" + worker.number);
    }
    require(simulation.pendingTaskCount() == 0, "tasks left");
    long planned = streams.stream().filter(s -> s.hasThrown()).count();
    long thrown = lanes.stream().mapToLong(l -> l.failures().size()).sum();
    require(planned == thrown, "failures on lanes: planned=" + planned + ", seen=" + thrown);
  }

  private ProbeLane lane(String name) {
    ProbeLane lane = ProbeLane.over(simulation.node("gateway").lane(name));
    lanes.add(lane);
    return lane;
  }

  private Map<String, Integer> facts() {
    Map<String, Integer> facts = new TreeMap<>();
    for (FuzzedStream stream : streams) {
      facts.merge(stream.ending(), 1, Integer::sum);
    }
    return facts;
  }

  private void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new AssertionError(otherwise + ", " + simulation.replayLine());
    }
  }

  /** A worker that serves, closes, aborts, crashes and comes back. */
  private final class FuzzedWorker {
    final int number;
    final WorkerInstance instance;
    private final SimulatedNode node;
    private final List<ServedEndpoint> endpoints = new ArrayList<>();
    private final List<Long> aborts = new ArrayList<>();
    // Start and end of times when nobody served; the end is open as long as it lasts.
    private final List<long[]> absences = new ArrayList<>();
    Scheduler lane;
    int life;

    FuzzedWorker(int number) {
      this.number = number;
      this.instance =
          WorkerInstance.builder(number - 1, InMemoryRequestPlane.address("w" + number)).build();
      this.node = simulation.node("worker-" + number);
      this.lane = node.lane("serve");
      serve();
      for (int faults = random.nextInt(4); faults > 0; faults--) {
        simulation.controller().schedule(this::fault, random.nextInt(60) * MILLI);
      }
    }

    private void serve() {
      lane = node.lane("serve");
      endpoints.add(plane.serve(instance, lane, (id, q, sink) -> stream(id).handle(this, sink)));
      if (!absences.isEmpty()) {
        absences.get(absences.size() - 1)[1] = simulation.nowNanos();
      }
    }

    private FuzzedStream stream(String id) {
      return streams.get(Integer.parseInt(id));
    }

    private void fault() {
      if (isAbsent()) {
        return;
      }
      ServedEndpoint served = endpoints.get(endpoints.size() - 1);
      int kind = random.nextInt(4);
      if (kind == 0) {
        served.close();
      } else if (kind == 1) {
        abort(served);
      } else {
        node.crash();
        life++;
        // Requests sent now vanish, until somebody notices.
        long detection = random.nextInt(8) * MILLI;
        absences.add(new long[] {simulation.nowNanos(), Long.MAX_VALUE});
        simulation.controller().schedule(() -> abort(served), detection);
        simulation.controller().schedule(this::serve, detection + random.nextInt(10) * MILLI + 1);
        return;
      }
      absences.add(new long[] {simulation.nowNanos(), Long.MAX_VALUE});
      simulation.controller().schedule(this::serve, random.nextInt(20) * MILLI + 1);
    }

    private void abort(ServedEndpoint served) {
      aborts.add(simulation.nowNanos());
      served.abort();
    }

    void closedBy(long nowNanos) {
      absences.add(new long[] {nowNanos, Long.MAX_VALUE});
    }

    private boolean isAbsent() {
      return !absences.isEmpty() && absences.get(absences.size() - 1)[1] == Long.MAX_VALUE;
    }

    boolean wasAbsent(long from, long to) {
      return absences.stream().anyMatch(a -> a[0] <= to && a[1] >= from);
    }

    boolean wasAborted(long from, long to) {
      return aborts.stream().anyMatch(at -> at >= from && at <= to);
    }

    int openStreams() {
      return endpoints.stream().mapToInt(ServedEndpoint::openStreamCount).sum();
    }
  }

  /** One request: what its client does, what its worker does, and what came of both. */
  private final class FuzzedStream {
    private final int number;
    private final ProbeLane lane;
    private final FuzzedWorker target;
    private final RandomSource draws;
    private final StreamProbe<String> probe;
    private final long deadline;
    private final boolean slow;
    private boolean throwing;
    private boolean unlawful;

    private long startedAt;
    private long endedAt = Long.MAX_VALUE;
    private int itemsAtCancel = -1;
    private final List<String> accepted = new ArrayList<>();
    private boolean handled;
    private int handledInLife;
    private boolean overflowed;
    private boolean workerCompleted;
    private @Nullable ErrorType workerFailed;
    private int left;

    FuzzedStream(int number, ProbeLane lane, FuzzedWorker target) {
      this.number = number;
      this.lane = lane;
      this.target = target;
      this.draws = random.split("stream-" + number);
      this.probe = StreamProbe.on(lane);
      long start = draws.nextInt(50) * MILLI;
      this.deadline =
          draws.nextInt(5) == 0 ? start + draws.nextInt(20) * MILLI : Attempt.NO_DEADLINE;
      this.slow = draws.nextInt(5) == 0;
      shape();
      simulation.controller().schedule(this::start, start);
    }

    private void shape() {
      int kind = draws.nextInt(8);
      if (kind == 0) {
        probe.initialDemand(Long.MAX_VALUE);
      } else if (kind == 1) {
        probe.initialDemand(draws.nextInt(6));
      } else if (!slow) {
        int window = 1 + draws.nextInt(8);
        probe.initialDemand(window).demandPerItem(1);
      }
      if (draws.nextInt(6) == 0) {
        probe.cancelAt(draws.nextInt(8));
      } else if (draws.nextInt(8) == 0) {
        probe.throwAt(draws.nextInt(8));
        throwing = true;
      }
    }

    private void start() {
      startedAt = simulation.nowNanos();
      Attempt attempt =
          Attempt.builder(Integer.toString(number), lane)
              .listener(probe)
              .deadlineNanos(deadline)
              .build();
      var stream = plane.send(target.instance, "q", attempt);
      probe.terminated().whenComplete((ok, no) -> endedAt = simulation.nowNanos());
      probe.to(
          subscriber ->
              stream.subscribe(subscribers.apply(PlantedRequestPlanes.plain(subscriber))));
      if (slow) {
        askLater();
      }
      if (draws.nextInt(6) == 0) {
        simulation.controller().schedule(this::cancelFromOutside, draws.nextInt(20) * MILLI);
      }
      if (draws.nextInt(20) == 0) {
        simulation.controller().schedule(this::askUnlawfully, 1 + draws.nextInt(20) * MILLI);
      }
    }

    private void askLater() {
      lane.schedule(
          () -> {
            if (!probe.isTerminated() && !hasLeft() && probe.isSubscribed()) {
              probe.request(1 + draws.nextInt(3));
            }
            if (!probe.isTerminated() && !hasLeft() && simulation.nowNanos() < 400 * MILLI) {
              askLater();
            }
          },
          (1 + draws.nextInt(5)) * MILLI);
    }

    private void cancelFromOutside() {
      if (probe.isSubscribed() && !hasLeft()) {
        probe.cancel();
        itemsAtCancel = probe.isTerminated() ? -1 : probe.items().size();
      }
    }

    private void askUnlawfully() {
      if (probe.isSubscribed() && !probe.isTerminated() && !hasLeft()) {
        unlawful = true;
        probe.request(0);
      }
    }

    /** The worker's side; runs on its lane. */
    void handle(FuzzedWorker worker, ResponseSink<String> right) {
      require(!handled, "handled twice: stream=" + number);
      handled = true;
      handledInLife = worker.life;
      ResponseSink<String> sink = sinks.apply(right);
      if (draws.nextInt(10) == 0) {
        workerFailed = ErrorType.INVALID_REQUEST;
        throw new DynamoException(ErrorType.INVALID_REQUEST, "refused as planned");
      }
      sink.onCancel(() -> left++);
      step(worker, sink, draws.nextInt(30));
    }

    private void step(FuzzedWorker worker, ResponseSink<String> sink, int stepsLeft) {
      int kind = draws.nextInt(12);
      if (stepsLeft == 0) {
        end(sink, draws.nextInt(10));
        return;
      } else if (kind == 0) {
        sink.open();
      } else {
        for (int burst = 1 + draws.nextInt(3); burst > 0; burst--) {
          next(sink);
        }
      }
      long delay = draws.nextInt(3) == 0 ? 0 : draws.nextInt(2_000) * 1_000L;
      worker.lane.schedule(() -> step(worker, sink, stepsLeft - 1), delay);
    }

    private void next(ResponseSink<String> sink) {
      String item = number + ":" + accepted.size();
      int held = accepted.size() - probe.items().size();
      if (sink.next(item)) {
        accepted.add(item);
      } else {
        overflowed |= held >= capacity;
      }
    }

    private void end(ResponseSink<String> sink, int kind) {
      if (kind == 0) {
        return;
      }
      boolean failing = kind < 3;
      if (workerFailed == null && !workerCompleted) {
        workerCompleted = !failing;
        workerFailed = failing ? ErrorType.ENGINE_SHUTDOWN : null;
      }
      if (failing) {
        sink.fail(new DynamoException(ErrorType.ENGINE_SHUTDOWN, "fails as planned"));
      } else {
        sink.complete();
      }
      sink.next("never seen");
      sink.complete();
      sink.open();
    }

    boolean hasThrown() {
      return throwing && probe.hasThrown();
    }

    /** The client wants nothing more. */
    private boolean hasLeft() {
      return itemsAtCancel >= 0 || probe.hasCancelled() || probe.hasThrown();
    }

    private void require(boolean condition, String otherwise) {
      RequestPlaneFuzz.this.require(condition, otherwise + ": stream=" + number + ", " + this);
    }

    /** Nothing is under way any more, and nothing was closed. */
    void checkAtRest() {
      List<String> items = probe.items();
      require(probe.violations().isEmpty(), "breaches " + probe.violations());
      require(
          items.size() <= accepted.size() && accepted.subList(0, items.size()).equals(items),
          "items are no prefix of what was sent: " + items);
      require(items.isEmpty() || probe.isOpened(), "items without prologue");
      if (itemsAtCancel >= 0) {
        require(items.size() == itemsAtCancel && !probe.isTerminated(), "signal after cancel");
      }
      if (probe.isTerminated()) {
        checkEnding(items);
      } else if (!hasLeft()) {
        boolean ended = workerCompleted || workerFailed != null;
        boolean waitsForWorker = items.size() == accepted.size() && !ended;
        boolean waitsForClient =
            items.size() < accepted.size() && probe.requested() == items.size();
        require(waitsForWorker || waitsForClient, "stream is stuck");
      }
      checkWorkerWasTold();
    }

    private void checkEnding(List<String> items) {
      Throwable error = probe.error();
      if (error == null) {
        require(workerCompleted && items.equals(accepted), "completion out of nothing");
      } else if (error instanceof DynamoException failure) {
        checkFailure(failure.errorType(), items);
      } else {
        require(error instanceof IllegalArgumentException && unlawful, "unexplained " + error);
      }
    }

    private void checkFailure(ErrorType type, List<String> items) {
      switch (type) {
        case CANNOT_CONNECT ->
            require(
                target.wasAbsent(startedAt, endedAt) && !handled && !probe.isOpened(),
                "refused by a worker that was there");
        case DISCONNECTED ->
            require(target.wasAborted(startedAt, endedAt), "broken without an abort");
        case DEADLINE_EXCEEDED -> require(endedAt >= deadline, "deadline came early");
        case BUFFER_OVERFLOW -> require(overflowed, "overflow of a buffer with room");
        case CLOSED -> require(planeClosed, "closed before close");
        default ->
            require(
                type == workerFailed && items.equals(accepted), "worker's error, but not its own");
      }
    }

    private void checkWorkerWasTold() {
      boolean ended = workerCompleted || workerFailed != null;
      boolean over = probe.isTerminated() || hasLeft() || isOutlived();
      boolean alive = handled && handledInLife == target.life;
      require(left <= 1, "worker told twice");
      if (handled && over && alive && !ended) {
        require(left == 1, "worker not told");
      }
      if (left == 1) {
        require(over, "worker told of nothing");
      }
    }

    /** Items that outlived an abort are still to be read before its error. */
    private boolean isOutlived() {
      return target.wasAborted(startedAt, simulation.nowNanos())
          && probe.items().size() < accepted.size();
    }

    void checkAtEnd() {
      checkAtRest();
      boolean ended = workerCompleted || workerFailed != null;
      require(
          probe.isTerminated() || hasLeft() || ended || isOutlived(),
          "plane closed, stream still open");
    }

    String ending() {
      if (hasThrown()) {
        return "thrown";
      }
      if (hasLeft()) {
        return "cancelled";
      }
      if (!probe.isTerminated()) {
        return "unread";
      }
      Throwable error = probe.error();
      return error == null
          ? "completed"
          : error instanceof DynamoException failure
              ? failure.errorType().name()
              : error.getClass().getSimpleName();
    }

    @Override
    public String toString() {
      return "ending="
          + ending()
          + ", accepted="
          + accepted.size()
          + ", delivered="
          + probe.items().size()
          + ", requested="
          + probe.requested()
          + ", workerCompleted="
          + workerCompleted
          + ", workerFailed="
          + workerFailed
          + ", left="
          + left;
    }
  }
}
