// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.AttemptListener;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.function.UnaryOperator;

/** Request planes over a right one, each wrong in one way. */
final class PlantedRequestPlanes {
  private PlantedRequestPlanes() {}

  static class Forwarding implements RequestPlane<String, String> {
    final RequestPlane<String, String> right;

    Forwarding(RequestPlane<String, String> right) {
      this.right = right;
    }

    @Override
    public ResponseStream<String> send(WorkerInstance target, String request, Attempt attempt) {
      return right.send(target, request, attempt);
    }

    @Override
    public ServedEndpoint serve(WorkerInstance instance, RequestHandler<String, String> handler) {
      return right.serve(instance, handler);
    }

    @Override
    public void close() {
      right.close();
    }
  }

  // attempts

  static class OverAttempt extends Forwarding {
    private final UnaryOperator<Attempt> change;

    OverAttempt(RequestPlane<String, String> right, UnaryOperator<Attempt> change) {
      super(right);
      this.change = change;
    }

    @Override
    public ResponseStream<String> send(WorkerInstance target, String request, Attempt attempt) {
      return super.send(target, request, change.apply(attempt));
    }
  }

  static final class Mute {
    static Attempt of(Attempt attempt) {
      return Attempt.builder(attempt.requestId(), attempt.lane())
          .number(attempt.number())
          .deadlineNanos(attempt.deadlineNanos())
          .build();
    }
  }

  static final class Endless {
    static Attempt of(Attempt attempt) {
      return withoutDeadline(attempt, attempt.lane());
    }
  }

  private static Attempt withoutDeadline(Attempt attempt, Scheduler lane) {
    return Attempt.builder(attempt.requestId(), lane)
        .number(attempt.number())
        .listener(
            new AttemptListener() {
              @Override
              public void workerChosen(WorkerWithDpRank worker) {
                attempt.workerChosen(worker);
              }

              @Override
              public void streamOpened() {
                attempt.streamOpened();
              }
            })
        .build();
  }

  static final class Inline extends Forwarding {
    Inline(RequestPlane<String, String> right) {
      super(right);
    }

    @Override
    public ResponseStream<String> send(WorkerInstance target, String request, Attempt attempt) {
      return super.send(target, request, withoutDeadline(attempt, new InlineLane(attempt.lane())));
    }
  }

  record InlineLane(Scheduler lane) implements Scheduler {
    @Override
    public NanoClock clock() {
      return lane.clock();
    }

    @Override
    public void execute(Runnable task) {
      task.run();
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
      return lane.schedule(task, delayNanos);
    }
  }

  // subscribers and subscriptions

  static class OverSubscriber extends Forwarding {
    private final UnaryOperator<Flow.Subscriber<String>> change;

    OverSubscriber(
        RequestPlane<String, String> right, UnaryOperator<Flow.Subscriber<String>> change) {
      super(right);
      this.change = change;
    }

    @Override
    public ResponseStream<String> send(WorkerInstance target, String request, Attempt attempt) {
      ResponseStream<String> stream = super.send(target, request, attempt);
      return subscriber -> stream.subscribe(change.apply(plain(subscriber)));
    }
  }

  static final class OverSubscription extends OverSubscriber {
    OverSubscription(RequestPlane<String, String> right, UnaryOperator<Flow.Subscription> change) {
      super(right, to -> withSubscription(to, change));
    }
  }

  static Flow.Subscriber<String> withSubscription(
      Flow.Subscriber<String> to, UnaryOperator<Flow.Subscription> change) {
    return new Subscriber(to) {
      @Override
      public void onSubscribe(Flow.Subscription subscription) {
        super.onSubscribe(change.apply(subscription));
      }
    };
  }

  static Flow.Subscriber<String> plain(Flow.Subscriber<? super String> to) {
    return new Subscriber(to);
  }

  static class Subscriber implements Flow.Subscriber<String> {
    final Flow.Subscriber<? super String> to;

    Subscriber(Flow.Subscriber<? super String> to) {
      this.to = to;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      to.onSubscribe(subscription);
    }

    @Override
    public void onNext(String item) {
      to.onNext(item);
    }

    @Override
    public void onError(Throwable error) {
      to.onError(error);
    }

    @Override
    public void onComplete() {
      to.onComplete();
    }
  }

  static final class CompletionLoser extends Subscriber {
    CompletionLoser(Flow.Subscriber<String> to) {
      super(to);
    }

    @Override
    public void onComplete() {}
  }

  static final class ErrorHider extends Subscriber {
    ErrorHider(Flow.Subscriber<String> to) {
      super(to);
    }

    @Override
    public void onError(Throwable error) {
      to.onComplete();
    }
  }

  static final class TwiceCompleted extends Subscriber {
    TwiceCompleted(Flow.Subscriber<String> to) {
      super(to);
    }

    @Override
    public void onComplete() {
      to.onComplete();
      to.onComplete();
    }
  }

  record OneTooMany(Flow.Subscription right) implements Flow.Subscription {
    @Override
    public void request(long n) {
      right.request(n > 0 && n < Long.MAX_VALUE ? n + 1 : n);
    }

    @Override
    public void cancel() {
      right.cancel();
    }
  }

  record CancelSwallower(Flow.Subscription right) implements Flow.Subscription {
    @Override
    public void request(long n) {
      right.request(n);
    }

    @Override
    public void cancel() {}
  }

  record LenientDemand(Flow.Subscription right) implements Flow.Subscription {
    @Override
    public void request(long n) {
      if (n > 0) {
        right.request(n);
      }
    }

    @Override
    public void cancel() {
      right.cancel();
    }
  }

  static final class DemandLoser implements Flow.Subscription {
    private final Flow.Subscription right;
    private int requests;

    DemandLoser(Flow.Subscription right) {
      this.right = right;
    }

    @Override
    public void request(long n) {
      if (++requests <= 10 || n <= 0) {
        right.request(n);
      }
    }

    @Override
    public void cancel() {
      right.cancel();
    }
  }

  // sinks

  static final class OverSink extends Forwarding {
    private final UnaryOperator<ResponseSink<String>> change;

    OverSink(RequestPlane<String, String> right, UnaryOperator<ResponseSink<String>> change) {
      super(right);
      this.change = change;
    }

    @Override
    public ServedEndpoint serve(WorkerInstance instance, RequestHandler<String, String> handler) {
      return super.serve(
          instance, (id, request, sink) -> handler.handle(id, request, change.apply(sink)));
    }
  }

  static class Sink implements ResponseSink<String> {
    final ResponseSink<String> right;

    Sink(ResponseSink<String> right) {
      this.right = right;
    }

    @Override
    public void onCancel(Runnable action) {
      right.onCancel(action);
    }

    @Override
    public void open() {
      right.open();
    }

    @Override
    public boolean next(String item) {
      return right.next(item);
    }

    @Override
    public void complete() {
      right.complete();
    }

    @Override
    public void fail(DynamoException error) {
      right.fail(error);
    }
  }

  static final class Repeater extends Sink {
    Repeater(ResponseSink<String> right) {
      super(right);
    }

    @Override
    public boolean next(String item) {
      boolean wanted = right.next(item);
      return wanted && right.next(item);
    }
  }

  /** Lets the 21st item pass the 20th. */
  static final class Swapper extends Sink {
    private final List<String> kept = new ArrayList<>();
    private int items;

    Swapper(ResponseSink<String> right) {
      super(right);
    }

    @Override
    public boolean next(String item) {
      if (++items == 20) {
        kept.add(item);
        return true;
      }
      boolean wanted = right.next(item);
      kept.forEach(right::next);
      kept.clear();
      return wanted;
    }
  }

  // planes

  static final class Hot extends Forwarding {
    Hot(RequestPlane<String, String> right) {
      super(right);
    }

    @Override
    public ResponseStream<String> send(WorkerInstance target, String request, Attempt attempt) {
      super.send(target, request, withoutDeadline(attempt, attempt.lane()))
          .subscribe(StreamProbe.on(ProbeLane.over(attempt.lane())));
      return super.send(target, request, attempt);
    }
  }

  static final class Multicast extends Forwarding {
    Multicast(RequestPlane<String, String> right) {
      super(right);
    }

    @Override
    public ResponseStream<String> send(WorkerInstance target, String request, Attempt attempt) {
      return subscriber -> right.send(target, request, attempt).subscribe(subscriber);
    }
  }

  static final class DrainingAbort extends Forwarding {
    DrainingAbort(RequestPlane<String, String> right) {
      super(right);
    }

    @Override
    public ServedEndpoint serve(WorkerInstance instance, RequestHandler<String, String> handler) {
      ServedEndpoint served = super.serve(instance, handler);
      return new ServedEndpoint() {
        @Override
        public int openStreamCount() {
          return served.openStreamCount();
        }

        @Override
        public void close() {
          served.close();
        }

        @Override
        public void abort() {
          served.close();
        }
      };
    }
  }
}
