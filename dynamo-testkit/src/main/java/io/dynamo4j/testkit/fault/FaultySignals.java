// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.fault;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.AttemptListener;
import io.dynamo4j.plane.WorkerInstance;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * The signals of one attempt on their way to the subscriber: delayed in order, and cut where the
 * fault says.
 *
 * <p><b>Threads.</b> The attempt's lane, as all its signals.
 */
final class FaultySignals<R> implements AttemptListener {
  private final WorkerInstance target;
  private final Attempt original;
  private final Attempt wrapped;
  private final StreamFault fault;
  private final RandomSource random;
  private @Nullable Relay<R> relay;
  private boolean opened;
  private long lastDueNanos;
  private boolean delivered;

  FaultySignals(WorkerInstance target, Attempt original, StreamFault fault, RandomSource random) {
    this.target = target;
    this.original = original;
    this.fault = fault;
    this.random = random;
    this.wrapped =
        Attempt.builder(original.requestId(), original.lane())
            .number(original.number())
            .excludedWorkers(original.excludedWorkers())
            .deadlineNanos(original.deadlineNanos())
            .listener(this)
            .build();
  }

  /** Returns the attempt to send in place of the original. */
  Attempt attempt() {
    return wrapped;
  }

  Flow.Subscriber<R> relayTo(Flow.Subscriber<? super R> subscriber) {
    return new Relay<>(this, subscriber);
  }

  @Override
  public void workerChosen(WorkerWithDpRank worker) {
    original.workerChosen(worker);
  }

  @Override
  public void streamOpened() {
    opened = true;
    deliver(original::streamOpened);
    if (relay != null && fault.cutsAfter(0)) {
      relay.cut();
    }
  }

  /** Runs a signal after the stream's delay and after every earlier signal. */
  private void deliver(Runnable signal) {
    if (!fault.isDelayed()) {
      signal.run();
      return;
    }
    long now = original.lane().clock().nanoTime();
    long due = now + fault.latencyNanos() + (long) (random.nextDouble() * fault.jitterNanos());
    if (delivered && due - lastDueNanos < 0) {
      due = lastDueNanos;
    }
    delivered = true;
    lastDueNanos = due;
    original.lane().schedule(signal, due - now);
  }

  /** One subscription. Only the first gets items; the plane turns others away. */
  private static final class Relay<R> implements Flow.Subscriber<R>, Flow.Subscription {
    private final FaultySignals<R> signals;
    private final Flow.Subscriber<? super R> downstream;
    private volatile Flow.@Nullable Subscription upstream;
    private volatile boolean cancelled;
    private long items;
    private boolean upstreamOver;
    private boolean downstreamOver;

    Relay(FaultySignals<R> signals, Flow.Subscriber<? super R> downstream) {
      this.signals = signals;
      this.downstream = downstream;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      upstream = subscription;
      if (signals.relay == null) {
        signals.relay = this;
      }
      downstream.onSubscribe(this);
      if (signals.relay == this && signals.opened && signals.fault.cutsAfter(0)) {
        cut();
      }
    }

    @Override
    public void onNext(R item) {
      if (upstreamOver) {
        return;
      }
      items++;
      signals.deliver(() -> pass(item));
      if (signals.fault.cutsAfter(items)) {
        cut();
      }
    }

    @Override
    public void onError(Throwable error) {
      if (!upstreamOver) {
        upstreamOver = true;
        fail(error);
      }
    }

    @Override
    public void onComplete() {
      if (upstreamOver) {
        return;
      }
      upstreamOver = true;
      if (signals.fault.failsAtEnd()) {
        failInjected();
      } else {
        signals.deliver(this::complete);
      }
    }

    /** Ends the stream here, whatever the worker does. */
    private void cut() {
      if (upstreamOver) {
        return;
      }
      upstreamOver = true;
      cancelUpstream();
      if (signals.fault.endsCleanly()) {
        signals.deliver(this::complete);
      } else {
        failInjected();
      }
    }

    private void failInjected() {
      fail(
          InjectedError.of(
              signals.fault.errorType(), "stream broke", signals.target, signals.original));
    }

    private void fail(Throwable error) {
      if (signals.fault.losesFrames()) {
        passError(error);
      } else {
        signals.deliver(() -> passError(error));
      }
    }

    private void pass(R item) {
      if (downstreamOver || cancelled) {
        return;
      }
      try {
        downstream.onNext(item);
      } catch (RuntimeException | Error thrown) {
        downstreamOver = true;
        upstreamOver = true;
        cancelUpstream();
        throw thrown;
      }
    }

    private void passError(Throwable error) {
      if (!downstreamOver && !cancelled) {
        downstreamOver = true;
        downstream.onError(error);
      }
    }

    private void complete() {
      if (!downstreamOver && !cancelled) {
        downstreamOver = true;
        downstream.onComplete();
      }
    }

    private void cancelUpstream() {
      Flow.Subscription current = upstream;
      if (current != null) {
        current.cancel();
      }
    }

    @Override
    public void request(long n) {
      Flow.Subscription current = upstream;
      if (current != null) {
        current.request(n);
      }
    }

    @Override
    public void cancel() {
      cancelled = true;
      cancelUpstream();
    }
  }
}
