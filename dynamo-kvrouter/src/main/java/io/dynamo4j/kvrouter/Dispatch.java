// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.SafeText;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.ResponseStream;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One running attempt: chooses a worker, sends, passes the worker's signals on.
 *
 * <p>It subscribes to the plane itself and passes signals straight through: the plane signals on
 * the attempt's lane already, so an item costs no further hop. Demand and cancel go straight to the
 * plane too, once it has a subscription; before that demand is kept here.
 *
 * <p>What the placement holds is given back exactly once: before the terminal signal is passed on,
 * or inside {@link #cancel}.
 *
 * <p><b>Threads.</b> Signals on the attempt's lane; {@link #request} and {@link #cancel} from
 * anywhere.
 */
final class Dispatch<Q, R> implements Flow.Subscriber<R>, Flow.Subscription {
  private final Placer<Q> placer;
  private final RequestPlane<Q, R> plane;
  private final RoutingAdapter<Q, R> adapter;
  private final Q request;
  private final Attempt attempt;
  private final Flow.Subscriber<? super R> downstream;

  private final AtomicReference<@Nullable Placement> held = new AtomicReference<>();
  private final DemandRelay demand = new DemandRelay();
  private volatile boolean cancelled;
  private @Nullable Placement placement; // lane
  private boolean terminated; // lane

  Dispatch(
      Placer<Q> placer,
      RequestPlane<Q, R> plane,
      RoutingAdapter<Q, R> adapter,
      Q request,
      Attempt attempt,
      Flow.Subscriber<? super R> downstream) {
    this.placer = placer;
    this.plane = plane;
    this.adapter = adapter;
    this.request = request;
    this.attempt = attempt;
    this.downstream = downstream;
  }

  /** Returns the stream of an attempt that its subscriber starts. */
  static <Q, R> ResponseStream<R> stream(
      Placer<Q> placer,
      RequestPlane<Q, R> plane,
      RoutingAdapter<Q, R> adapter,
      Q request,
      Attempt attempt) {
    Objects.requireNonNull(request, "request");
    return new ColdStream<>(
        attempt.lane(),
        subscriber -> new Dispatch<>(placer, plane, adapter, request, attempt, subscriber).start());
  }

  /** Runs the attempt; on its lane. */
  void start() {
    downstream.onSubscribe(this);
    if (cancelled || terminated) {
      return;
    }
    try {
      if (placer.waits()) {
        CompletionStage<Placement> unused =
            placer.placeLater(request, attempt).whenComplete(this::resumeOnLane);
        if (cancelled) {
          placer.giveUp(attempt); // The cancel came before there was anything to give up.
        }
      } else {
        send(placer.place(request, attempt));
      }
    } catch (Throwable failure) {
      terminate(typed(failure));
    }
  }

  /** Frees what comes after the lane has closed: nobody is left to be told. */
  private void resumeOnLane(@Nullable Placement placed, @Nullable Throwable failure) {
    try {
      attempt.lane().execute(() -> resume(placed, failure));
    } catch (RejectedExecutionException laneClosed) {
      if (placed != null) {
        placed.release();
      }
    }
  }

  /** Goes on when the placer has waited; on the lane. */
  private void resume(@Nullable Placement placed, @Nullable Throwable failure) {
    try {
      if (placed != null) {
        send(placed);
      } else {
        terminate(typed(failure == null ? null : StageFailures.cause(failure)));
      }
    } catch (Throwable unexpected) {
      terminate(typed(unexpected));
    }
  }

  private void send(Placement placed) {
    placement = placed;
    held.set(placed);
    if (cancelled) {
      release();
      return;
    }
    attempt.workerChosen(placed.worker());
    if (cancelled) {
      return; // Whoever heard of the worker does not want it.
    }
    plane.send(placed.instance(), addressed(placed), attempt).subscribe(this);
  }

  private Q addressed(Placement placed) {
    boolean isOneOfSeveral = placed.instance().dpSize() > 1 || placed.instance().dpStart() > 0;
    return isOneOfSeveral
        ? Objects.requireNonNull(adapter.addressedTo(request, placed.worker()), "addressed request")
        : request;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    demand.attach(subscription);
    if (cancelled || terminated) {
      subscription.cancel();
    }
  }

  @Override
  public void onNext(R item) {
    if (cancelled || terminated) {
      return;
    }
    try {
      note(item);
    } catch (Throwable hostFailed) {
      breakOff(typed(hostFailed));
      return;
    }
    try {
      downstream.onNext(item);
    } catch (Throwable broken) {
      cancel();
      throw broken;
    }
  }

  /** Counts an item; the adapter, and what is told of progress, may be the host's. */
  private void note(R item) {
    int tokens = adapter.tokenCount(item);
    Placement placed = placement;
    if (placed != null) {
      if (tokens > 0) {
        placed.tokensArrived(tokens);
      }
      placed.cachedTokensReported(adapter.cachedTokens(item));
    }
  }

  @Override
  public void onError(Throwable failure) {
    terminate(failure);
  }

  @Override
  public void onComplete() {
    terminate(null);
  }

  @Override
  public void request(long n) {
    if (n <= 0) {
      attempt.lane().execute(() -> refuseDemand(n));
      return;
    }
    demand.request(n);
  }

  @Override
  public void cancel() {
    cancelled = true;
    Flow.Subscription subscription = demand.upstream();
    if (subscription != null) {
      subscription.cancel();
    } else if (placer.waits()) {
      placer.giveUp(attempt);
    }
    release();
  }

  private void refuseDemand(long n) {
    breakOff(new IllegalArgumentException("non-positive subscription request: n=" + n));
  }

  private void breakOff(RuntimeException failure) {
    Flow.Subscription subscription = demand.upstream();
    if (subscription != null) {
      subscription.cancel();
    }
    terminate(failure);
  }

  private void terminate(@Nullable Throwable failure) {
    release();
    if (cancelled || terminated) {
      return;
    }
    terminated = true;
    if (failure == null) {
      downstream.onComplete();
    } else {
      downstream.onError(failure);
    }
  }

  private void release() {
    Placement placed = held.getAndSet(null);
    if (placed != null) {
      placed.release();
    }
  }

  private DynamoException typed(@Nullable Throwable failure) {
    if (failure instanceof DynamoException known) {
      return known;
    }
    Placement placed = placement;
    return new DynamoException(
        ErrorType.INTERNAL,
        "dispatch failed: request="
            + SafeText.of(attempt.requestId())
            + ", attempt="
            + attempt.number(),
        placed == null ? null : placed.worker(),
        attempt.number(),
        failure);
  }
}
