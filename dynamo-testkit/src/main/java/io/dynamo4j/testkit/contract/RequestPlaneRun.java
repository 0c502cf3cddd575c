// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One test of a request plane: lanes, a plane, a worker that does as told, a probing client. */
final class RequestPlaneRun<Q, R> implements AutoCloseable {
  private static final int MAX_SETTLES = 2_000;

  final LaneHarness harness;
  final ProbeLane lane;
  final StreamProbe<R> probe;
  final RequestPlane<Q, R> plane;
  final WorkerInstance instance;
  final Worker<Q, R> worker = new Worker<>();

  private final Q request;
  private final IntFunction<R> item;
  private final ToIntFunction<R> number;
  private final long settleNanos;
  private @Nullable ServedEndpoint endpoint;

  RequestPlaneRun(
      LaneHarness harness,
      Function<Environment, RequestPlane<Q, R>> planes,
      BiFunction<RequestPlane<Q, R>, Long, WorkerInstance> instances,
      Q request,
      IntFunction<R> item,
      ToIntFunction<R> number,
      long settleNanos) {
    this.harness = harness;
    this.lane = ProbeLane.over(harness.lanes().lane("client"));
    this.probe = StreamProbe.on(lane);
    this.plane = planes.apply(environment(harness));
    this.instance = instances.apply(plane, -7L);
    this.request = request;
    this.item = item;
    this.number = number;
    this.settleNanos = settleNanos;
  }

  static Environment environment(LaneHarness harness) {
    return new Environment(harness.lanes(), () -> Instant.EPOCH, RandomSource.seeded(1));
  }

  // worker's side

  void serve() {
    serve(worker);
  }

  /** Answers every request with items 0 to {@code count - 1}. */
  void serveEcho(int count) {
    serve(
        (id, any, sink) -> {
          for (int i = 0; i < count; i++) {
            sink.next(item.apply(i));
          }
          sink.complete();
        });
  }

  void serve(RequestHandler<Q, R> handler) {
    endpoint = plane.serve(instance, handler);
  }

  ServedEndpoint endpoint() {
    return Objects.requireNonNull(endpoint, "nobody serves yet");
  }

  /** Lets the lanes work until the worker has a request; returns its sink. */
  ResponseSink<R> sink() {
    await(worker.sink);
    return Objects.requireNonNull(worker.sink.getNow(null), "no request yet");
  }

  void sendItems(int from, int to) {
    ResponseSink<R> sink = sink();
    for (int i = from; i < to; i++) {
      assertThat(sink.next(item.apply(i))).as("next of item %s", i).isTrue();
    }
  }

  /** Sends to a client that leaves at some item of these: what comes later is sent in vain. */
  void sendItemsUntilLeft(int from, int to) {
    ResponseSink<R> sink = sink();
    for (int i = from; i < to; i++) {
      sink.next(item.apply(i));
    }
  }

  // client's side

  Attempt attempt() {
    return attempt(0);
  }

  Attempt attempt(int attemptNumber) {
    return Attempt.builder("request", lane).number(attemptNumber).listener(probe).build();
  }

  Attempt attempt(StreamProbe<R> listener) {
    return Attempt.builder("request", lane).listener(listener).build();
  }

  Attempt attemptWithin(StreamProbe<R> listener, long nanos) {
    return Attempt.builder("request", lane)
        .listener(listener)
        .deadlineNanos(lane.clock().nanoTime() + nanos)
        .build();
  }

  ResponseStream<R> stream(Attempt attempt) {
    return plane.send(instance, request, attempt);
  }

  StreamProbe<R> newProbe() {
    return StreamProbe.on(lane);
  }

  void subscribe() {
    subscribe(stream(attempt()));
  }

  /** Subscribes the probe; returns when it has its subscription. */
  void subscribe(ResponseStream<R> stream) {
    probe.to(stream);
    if (probe.handshakes()) {
      await(probe.subscribed());
    }
  }

  List<Integer> numbers() {
    return numbers(probe);
  }

  List<Integer> numbers(StreamProbe<R> of) {
    return of.items().stream().map(number::applyAsInt).toList();
  }

  List<Integer> range(int from, int to) {
    return IntStream.range(from, to).boxed().toList();
  }

  DynamoException error() {
    assertThat(probe.error()).isInstanceOf(DynamoException.class);
    return (DynamoException) Objects.requireNonNull(probe.error());
  }

  ErrorType errorType() {
    return error().errorType();
  }

  // time

  void await(CompletionStage<?> stage) {
    harness.await(stage);
  }

  void onLane(Runnable task) {
    CompletableFuture<Void> ran = new CompletableFuture<>();
    lane.execute(
        () -> {
          task.run();
          ran.complete(null);
        });
    await(ran);
  }

  /** Gives everything that is under way, and everything that should not be, time to happen. */
  void settle() {
    settle(harness, harness.lanes().lane("settle"), settleNanos);
    onLane(() -> {});
  }

  /** Settles at least once, and again until it holds; false if it has not for very long. */
  boolean settleUntil(BooleanSupplier holds) {
    for (int i = 0; i < MAX_SETTLES; i++) {
      settle();
      if (holds.getAsBoolean()) {
        return true;
      }
    }
    return false;
  }

  static void settle(LaneHarness harness, Scheduler any, long nanos) {
    CompletableFuture<Void> passed = new CompletableFuture<>();
    any.schedule(() -> passed.complete(null), nanos);
    harness.await(passed);
  }

  /** Checks that the probe saw no breach, and ends everything. */
  @Override
  public void close() {
    try {
      assertThat(probe.violations()).as("breaches").isEmpty();
    } finally {
      plane.close();
      harness.close();
    }
  }

  /** A worker that keeps its sink for the test and notes cancels. */
  static final class Worker<Q, R> implements RequestHandler<Q, R> {
    private final CompletableFuture<ResponseSink<R>> sink = new CompletableFuture<>();
    private final CompletableFuture<Void> cancelled = new CompletableFuture<>();
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicInteger cancels = new AtomicInteger();

    @Override
    public void handle(String requestId, Q request, ResponseSink<R> answer) {
      requests.incrementAndGet();
      answer.onCancel(
          () -> {
            cancels.incrementAndGet();
            cancelled.complete(null);
          });
      sink.complete(answer);
    }

    int requestCount() {
      return requests.get();
    }

    int cancelCount() {
      return cancels.get();
    }

    CompletionStage<Void> cancelled() {
      return cancelled;
    }
  }
}
