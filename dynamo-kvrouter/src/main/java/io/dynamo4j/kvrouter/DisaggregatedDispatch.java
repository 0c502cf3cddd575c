// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.SafeText;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.AttemptListener;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One running attempt in two legs. Both bookings are given back exactly once: before the terminal
 * signal is passed on, or inside {@link #cancel}.
 *
 * <p><b>Threads.</b> Signals on the attempt's lane; {@link #request} and {@link #cancel} from
 * anywhere.
 */
final class DisaggregatedDispatch<Q, R> implements Flow.Subscription {
  private static final int MAX_PREFILL_ITEMS = 64;

  private final DisaggregatedDispatcher<Q, R> dispatcher;
  private final Q request;
  private final Attempt attempt;
  private final Flow.Subscriber<? super R> downstream;

  private final AtomicReference<@Nullable DisaggregatedLease> held = new AtomicReference<>();
  private final DemandRelay demand = new DemandRelay();
  private volatile Flow.@Nullable Subscription prefilling;
  private volatile boolean cancelled;
  private boolean terminated; // lane
  private @Nullable Deque<R> wholeAnswer; // lane
  private volatile boolean answersItself;

  DisaggregatedDispatch(
      DisaggregatedDispatcher<Q, R> dispatcher,
      Q request,
      Attempt attempt,
      Flow.Subscriber<? super R> downstream) {
    this.dispatcher = dispatcher;
    this.request = request;
    this.attempt = attempt;
    this.downstream = downstream;
  }

  /** Runs the attempt; on its lane. */
  void start() {
    downstream.onSubscribe(this);
    if (cancelled || terminated) {
      return;
    }
    try {
      SchedulingRequest wanted = Scheduling.of(dispatcher.adapter(), request, attempt);
      RoutingHints prefillRouting = dispatcher.handoff().prefillRouting(request, wanted.routing());
      if (dispatcher.router().queues()) {
        CompletionStage<DisaggregatedLease> unused =
            dispatcher.router().select(wanted, prefillRouting).whenComplete(this::resumeOnLane);
        if (cancelled) {
          giveUp(); // The cancel came before there was anything to give up.
        }
      } else {
        begin(dispatcher.router().trySelect(wanted, prefillRouting));
      }
    } catch (Throwable failure) {
      terminate(typed(failure));
    }
  }

  /** Frees what comes after the lane has closed: nobody is left to be told. */
  private void resumeOnLane(@Nullable DisaggregatedLease lease, @Nullable Throwable failure) {
    try {
      attempt.lane().execute(() -> resume(lease, failure));
    } catch (RejectedExecutionException laneClosed) {
      if (lease != null) {
        lease.close();
      }
    }
  }

  private void resume(@Nullable DisaggregatedLease lease, @Nullable Throwable failure) {
    try {
      if (lease != null) {
        begin(lease);
      } else {
        terminate(typed(failure == null ? null : StageFailures.cause(failure)));
      }
    } catch (Throwable unexpected) {
      terminate(typed(unexpected));
    }
  }

  private void begin(DisaggregatedLease lease) {
    held.set(lease);
    if (cancelled) {
      release();
      return;
    }
    RequestLease prefill = lease.prefill();
    if (prefill == null) {
      decode(lease, request);
    } else {
      dispatcher
          .prefill(prefill, dispatcher.handoff().toPrefill(request), leg(false))
          .subscribe(new PrefillLeg(lease));
    }
  }

  private void decode(DisaggregatedLease lease, Q handedOver) {
    boolean computes = lease.prefill() == null;
    dispatcher.decode(lease.decode(), handedOver, leg(true), computes).subscribe(new DecodeLeg());
  }

  /** Returns the attempt as one leg sees it: only the second opens the stream. */
  private Attempt leg(boolean opens) {
    return Attempt.builder(attempt.requestId(), attempt.lane())
        .number(attempt.number())
        .excludedWorkers(attempt.excludedWorkers())
        .deadlineNanos(attempt.deadlineNanos())
        .listener(
            new AttemptListener() {
              @Override
              public void workerChosen(WorkerWithDpRank worker) {
                attempt.workerChosen(worker);
              }

              @Override
              public void requestAcknowledged() {
                if (opens) {
                  attempt.requestAcknowledged();
                }
              }

              @Override
              public void streamOpened() {
                if (opens) {
                  attempt.streamOpened();
                }
              }
            })
        .build();
  }

  /* --------------- What the client does --------------- */

  @Override
  public void request(long n) {
    if (n <= 0) {
      attempt.lane().execute(() -> refuseDemand(n));
      return;
    }
    demand.request(n);
    if (answersItself) {
      attempt.lane().execute(this::answer);
    }
  }

  @Override
  public void cancel() {
    cancelled = true;
    cancelLegs();
    if (held.get() == null) {
      giveUp();
    }
    release();
  }

  private void giveUp() {
    dispatcher.router().cancel(new BookingKey(attempt.requestId(), attempt.number()));
  }

  private void cancelLegs() {
    Flow.Subscription decoding = demand.upstream();
    Flow.Subscription first = prefilling;
    if (decoding != null) {
      decoding.cancel();
    } else if (first != null) {
      first.cancel();
    }
  }

  private void refuseDemand(long n) {
    cancelLegs();
    terminate(new IllegalArgumentException("non-positive subscription request: n=" + n));
  }

  /* --------------- Ends --------------- */

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
    DisaggregatedLease lease = held.getAndSet(null);
    if (lease != null) {
      lease.close();
    }
  }

  private void pass(R item) {
    try {
      downstream.onNext(item);
    } catch (Throwable broken) {
      cancel();
      throw broken;
    }
  }

  /** Passes on the answer that the prefill worker has ended, as far as it is asked for. */
  private void answer() {
    Deque<R> left = wholeAnswer;
    while (left != null && !left.isEmpty() && !cancelled && demand.takeOne()) {
      pass(left.remove());
    }
    if (left != null && left.isEmpty()) {
      wholeAnswer = null;
      terminate(null);
    }
  }

  private DynamoException typed(@Nullable Throwable failure) {
    if (failure instanceof DynamoException known) {
      return known;
    }
    return new DynamoException(
        ErrorType.INTERNAL,
        "dispatch failed: request="
            + SafeText.of(attempt.requestId())
            + ", attempt="
            + attempt.number(),
        null,
        attempt.number(),
        failure);
  }

  /* --------------- Legs --------------- */

  /** The prompt is being computed. */
  private final class PrefillLeg implements Flow.Subscriber<R> {
    private final DisaggregatedLease lease;
    private final Deque<R> items = new ArrayDeque<>();

    PrefillLeg(DisaggregatedLease lease) {
      this.lease = lease;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      prefilling = subscription;
      if (cancelled || terminated) {
        subscription.cancel();
      } else {
        subscription.request(Long.MAX_VALUE);
      }
    }

    @Override
    public void onNext(R item) {
      if (cancelled || terminated) {
        return;
      }
      items.add(item);
      if (items.size() > MAX_PREFILL_ITEMS) {
        cancelLegs();
        terminate(tooLong());
      }
    }

    private DynamoException tooLong() {
      RequestLease prefill = lease.prefill();
      return new DynamoException(
          ErrorType.BACKEND_PROTOCOL,
          "prefill worker does not end: request="
              + SafeText.of(attempt.requestId())
              + ", items="
              + items.size(),
          prefill == null ? null : prefill.worker(),
          attempt.number(),
          null);
    }

    @Override
    public void onError(Throwable failure) {
      terminate(failure);
    }

    @Override
    public void onComplete() {
      if (cancelled || terminated) {
        return;
      }
      try {
        R last = items.peekLast();
        if (last == null) {
          decode(lease, request);
        } else if (dispatcher.handoff().isWhole(last)) {
          attempt.streamOpened();
          wholeAnswer = items;
          answersItself = true;
          attempt.lane().execute(DisaggregatedDispatch.this::answer);
        } else {
          decode(lease, dispatcher.handoff().toDecode(request, last));
        }
      } catch (Throwable failure) {
        terminate(typed(failure));
      }
    }
  }

  /** The answer is coming. */
  private final class DecodeLeg implements Flow.Subscriber<R> {
    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      demand.attach(subscription);
      if (cancelled || terminated) {
        subscription.cancel();
      }
    }

    @Override
    public void onNext(R item) {
      if (!cancelled && !terminated) {
        pass(item);
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
  }
}
