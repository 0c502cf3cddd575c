// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.blocking;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.ResponseStream;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** A stream of 0, 1, 2, … that keeps to its demand and then ends, fails, or says nothing more. */
@NullMarked
final class ScriptedStream implements ResponseStream<Integer> {
  private final Scheduler lane;
  private final int items;
  private final long gapNanos;
  private final @Nullable Throwable error;
  private final boolean silent;

  /** Demand that has not been served, largest ever seen. */
  final AtomicLong maxDemand = new AtomicLong();

  /** Items that the subscriber has been given. */
  final AtomicLong delivered = new AtomicLong();

  final AtomicBoolean cancelled = new AtomicBoolean();

  // The lane's.
  private long demand;
  private int sent;
  private boolean over;
  private boolean armed;

  private ScriptedStream(
      Scheduler lane, int items, long gapNanos, @Nullable Throwable error, boolean silent) {
    this.lane = lane;
    this.items = items;
    this.gapNanos = gapNanos;
    this.error = error;
    this.silent = silent;
  }

  static ScriptedStream completing(Scheduler lane, int items, long gapNanos) {
    return new ScriptedStream(lane, items, gapNanos, null, false);
  }

  static ScriptedStream failing(Scheduler lane, int items, Throwable error) {
    return new ScriptedStream(lane, items, 0, error, false);
  }

  static ScriptedStream fallingSilent(Scheduler lane, int items) {
    return new ScriptedStream(lane, items, 0, null, true);
  }

  @Override
  public void subscribe(Flow.Subscriber<? super Integer> subscriber) {
    lane.execute(
        () -> {
          subscriber.onSubscribe(
              new Flow.Subscription() {
                @Override
                public void request(long n) {
                  lane.execute(() -> addDemand(subscriber, n));
                }

                @Override
                public void cancel() {
                  cancelled.set(true);
                  lane.execute(() -> over = true);
                }
              });
          step(subscriber);
        });
  }

  private void addDemand(Flow.Subscriber<? super Integer> subscriber, long n) {
    demand += n;
    maxDemand.accumulateAndGet(demand, Math::max);
    step(subscriber);
  }

  private void step(Flow.Subscriber<? super Integer> subscriber) {
    if (over || armed) {
      return;
    }
    if (sent == items) {
      if (!silent) {
        over = true;
        if (error == null) {
          subscriber.onComplete();
        } else {
          subscriber.onError(error);
        }
      }
      return;
    }
    if (demand == 0) {
      return;
    }
    armed = true;
    Runnable send =
        () -> {
          armed = false;
          if (!over) {
            demand--;
            subscriber.onNext(sent++);
            delivered.incrementAndGet();
            step(subscriber);
          }
        };
    if (gapNanos == 0) {
      lane.execute(send);
    } else {
      lane.schedule(send, gapNanos);
    }
  }
}
