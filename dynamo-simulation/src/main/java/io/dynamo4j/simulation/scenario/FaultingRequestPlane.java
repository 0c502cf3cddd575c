// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import java.util.List;
import java.util.concurrent.Flow;

/** A request plane on which single attempts are refused, broken or cut short. */
final class FaultingRequestPlane implements RequestPlane<PreprocessedRequest, LLMEngineOutput> {
  private final RequestPlane<PreprocessedRequest, LLMEngineOutput> delegate;
  private final FaultBook faults;
  private final Ledger ledger;
  private final boolean booked;

  /**
   * Wraps a plane.
   *
   * @param booked whether every request must be booked when it is sent
   */
  FaultingRequestPlane(
      RequestPlane<PreprocessedRequest, LLMEngineOutput> delegate,
      FaultBook faults,
      Ledger ledger,
      boolean booked) {
    this.delegate = delegate;
    this.faults = faults;
    this.ledger = ledger;
    this.booked = booked;
  }

  @Override
  public ResponseStream<LLMEngineOutput> send(
      WorkerInstance target, PreprocessedRequest request, Attempt attempt) {
    ResponseStream<LLMEngineOutput> stream = delegate.send(target, request, attempt);
    return subscriber -> subscribe(stream, attempt, subscriber);
  }

  private void subscribe(
      ResponseStream<LLMEngineOutput> stream,
      Attempt attempt,
      Flow.Subscriber<? super LLMEngineOutput> subscriber) {
    ledger.check(
        !booked || ledger.isBooked(attempt.requestId()),
        Oracle.BOOKING,
        "sent without a booking: request=" + attempt.requestId());
    int request = Integer.parseInt(attempt.requestId());
    if (faults.find(FaultKinds.REFUSE, FaultKinds.attempt(request, attempt.number())).isPresent()) {
      entry(attempt).faulted();
      ledger.sometimes("refused");
      attempt.lane().execute(() -> refuse(subscriber));
      return;
    }
    int breakAt = faults.cutOf(FaultKinds.BREAK, request, attempt.number());
    int truncateAt = faults.cutOf(FaultKinds.TRUNCATE, request, attempt.number());
    if (breakAt < 0 && truncateAt < 0) {
      stream.subscribe(subscriber);
    } else {
      stream.subscribe(new Cutter(subscriber, entry(attempt), breakAt, truncateAt));
    }
  }

  private AttemptEntry entry(Attempt attempt) {
    List<AttemptEntry> attempts = ledger.request(attempt.requestId()).attempts();
    return attempts.get(attempts.size() - 1);
  }

  private static void refuse(Flow.Subscriber<? super LLMEngineOutput> subscriber) {
    subscriber.onSubscribe(new Ignoring());
    subscriber.onError(new DynamoException(ErrorType.CANNOT_CONNECT, "refused by the scenario"));
  }

  @Override
  public ServedEndpoint serve(
      WorkerInstance instance, RequestHandler<PreprocessedRequest, LLMEngineOutput> handler) {
    return delegate.serve(instance, handler);
  }

  @Override
  public void close() {
    delegate.close();
  }

  /** A subscription to nothing. */
  private static final class Ignoring implements Flow.Subscription {
    @Override
    public void request(long items) {}

    @Override
    public void cancel() {}
  }

  /** Passes a stream on until its cut. */
  private final class Cutter implements Flow.Subscriber<LLMEngineOutput> {
    private final Flow.Subscriber<? super LLMEngineOutput> downstream;
    private final AttemptEntry attempt;
    private final int breakAt;
    private final int truncateAt;
    private Flow.Subscription upstream = NoSubscription.INSTANCE;
    private int tokens;
    private boolean cut;

    Cutter(
        Flow.Subscriber<? super LLMEngineOutput> downstream,
        AttemptEntry attempt,
        int breakAt,
        int truncateAt) {
      this.downstream = downstream;
      this.attempt = attempt;
      this.breakAt = breakAt;
      this.truncateAt = truncateAt;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      upstream = subscription;
      downstream.onSubscribe(subscription);
    }

    @Override
    public void onNext(LLMEngineOutput item) {
      if (cut) {
        return;
      }
      if (tokens == breakAt) {
        cut("broken at " + position());
        downstream.onError(new DynamoException(ErrorType.STREAM_INCOMPLETE, "cut by the scenario"));
      } else if (tokens == truncateAt) {
        cut("truncated at " + position());
        downstream.onComplete();
      } else {
        tokens += item.tokenIds().length();
        downstream.onNext(item);
      }
    }

    private String position() {
      return tokens == 0 ? "the first token" : "a later token";
    }

    private void cut(String fact) {
      cut = true;
      attempt.faulted();
      ledger.sometimes(fact);
      upstream.cancel();
    }

    @Override
    public void onError(Throwable failure) {
      if (!cut) {
        downstream.onError(failure);
      }
    }

    @Override
    public void onComplete() {
      if (!cut) {
        downstream.onComplete();
      }
    }
  }
}
