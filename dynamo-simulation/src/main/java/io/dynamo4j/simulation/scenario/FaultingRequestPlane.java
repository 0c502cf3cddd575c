// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.testkit.search.FaultSpec;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Flow;

/** A request plane on which single attempts are refused, ignored, delayed, broken or cut short. */
final class FaultingRequestPlane implements RequestPlane<PreprocessedRequest, LLMEngineOutput> {
  private final RequestPlane<PreprocessedRequest, LLMEngineOutput> delegate;
  private final FaultBook faults;
  private final Ledger ledger;
  private final boolean booked;
  private final Scheduler network;

  /**
   * Wraps a plane.
   *
   * @param booked whether every request must be booked when it is sent
   * @param network where delayed signals wait
   */
  FaultingRequestPlane(
      RequestPlane<PreprocessedRequest, LLMEngineOutput> delegate,
      FaultBook faults,
      Ledger ledger,
      boolean booked,
      Scheduler network) {
    this.delegate = delegate;
    this.faults = faults;
    this.ledger = ledger;
    this.booked = booked;
    this.network = network;
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
        !booked || ledger.isBooked(attempt.requestId(), attempt.number()),
        Oracle.BOOKING,
        "sent without a booking: request=" + attempt.requestId());
    int request = Integer.parseInt(attempt.requestId());
    String trigger = FaultKinds.attempt(request, attempt.number());
    Optional<FaultSpec> refusal = faults.find(FaultKinds.REFUSE, trigger);
    if (refusal.isPresent()) {
      entry(attempt).faulted();
      ledger.sometimes("refused");
      DynamoException error = FaultErrors.refusal(refusal.get().parameter());
      attempt.lane().execute(() -> refuse(subscriber, error));
    } else if (faults.find(FaultKinds.MUTE, trigger).isPresent()) {
      entry(attempt).faulted();
      ledger.sometimes("never answered");
      attempt.lane().execute(() -> subscriber.onSubscribe(new Ignoring()));
    } else {
      stream.subscribe(lagging(cut(subscriber, attempt, request), attempt, trigger));
    }
  }

  private Flow.Subscriber<? super LLMEngineOutput> cut(
      Flow.Subscriber<? super LLMEngineOutput> subscriber, Attempt attempt, int request) {
    Optional<FaultSpec> cut = faults.firstCut(request, attempt.number());
    return cut.isEmpty()
        ? subscriber
        : new CutStream(subscriber, ledger, entry(attempt), cut.get());
  }

  private Flow.Subscriber<? super LLMEngineOutput> lagging(
      Flow.Subscriber<? super LLMEngineOutput> subscriber, Attempt attempt, String trigger) {
    Optional<FaultSpec> lag = faults.find(FaultKinds.LAG, trigger);
    if (lag.isEmpty()) {
      return subscriber;
    }
    ledger.sometimes("slow worker");
    long nanos = (long) (lag.get().parameter() * 1e6);
    return new LaggingStream(subscriber, attempt.lane(), network, nanos);
  }

  private AttemptEntry entry(Attempt attempt) {
    List<AttemptEntry> attempts = ledger.request(attempt.requestId()).attempts();
    for (int i = attempts.size() - 1; i >= 0; i--) {
      if (attempts.get(i).number() == attempt.number()) {
        return attempts.get(i);
      }
    }
    throw new IllegalStateException("attempt is unknown: number=" + attempt.number());
  }

  private static void refuse(
      Flow.Subscriber<? super LLMEngineOutput> subscriber, DynamoException error) {
    subscriber.onSubscribe(new Ignoring());
    subscriber.onError(error);
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
}
