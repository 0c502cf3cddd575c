// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.WorkerInstance;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Sends recovery queries, a few at a time, first come first served. Belongs to the feed's lane. */
final class RecoveryCalls {

  /** Hears how one query ended, once, unless it was cancelled. */
  interface Listener {

    /**
     * The source has ended its answer.
     *
     * @param items at least one
     */
    void answered(List<byte[]> items);

    void failed(String why);
  }

  // What an item costs besides its bytes, so that empty ones come to an end as well.
  private static final int ITEM_OVERHEAD = 64;

  private final RequestPlane<byte[], byte[]> plane;
  private final Scheduler lane;
  private final RandomSource random;
  private final RecoveryConfig config;
  private final Deque<Call> waiting = new ArrayDeque<>();
  private final AtomicInteger inFlight = new AtomicInteger();

  RecoveryCalls(
      RequestPlane<byte[], byte[]> plane,
      Scheduler lane,
      RandomSource random,
      RecoveryConfig config) {
    this.plane = plane;
    this.lane = lane;
    this.random = random;
    this.config = config;
  }

  /** Returns the queries sent and not yet ended; any thread. */
  int inFlight() {
    return inFlight.get();
  }

  /** Asks as soon as there is room; the listener is never called inline. */
  Call ask(WorkerInstance target, byte[] query, Listener listener) {
    Call call = new Call(target, query, listener);
    waiting.addLast(call);
    sendWaiting();
    return call;
  }

  private void sendWaiting() {
    while (inFlight.get() < config.maxConcurrentQueries()) {
      Call call = waiting.pollFirst();
      if (call == null) {
        return;
      }
      call.send();
    }
  }

  /** One query, waiting or sent. */
  final class Call implements Flow.Subscriber<byte[]> {
    private final WorkerInstance target;
    private final byte[] query;
    private final Listener listener;
    private Flow.@Nullable Subscription subscription;
    private final List<byte[]> items = new ArrayList<>();
    private long bytes;
    private boolean isSent;
    private boolean isOver;

    private Call(WorkerInstance target, byte[] query, Listener listener) {
      this.target = target;
      this.query = query;
      this.listener = listener;
    }

    private void send() {
      isSent = true;
      inFlight.incrementAndGet();
      Attempt attempt =
          Attempt.builder("kv-recovery-" + Long.toHexString(random.nextLong()), lane)
              .deadlineNanos(lane.clock().nanoTime() + config.attemptTimeoutNanos())
              .build();
      plane.send(target, query, attempt).subscribe(this);
    }

    /** Forgets the query; its listener hears nothing any more. */
    void cancel() {
      if (isOver) {
        return;
      }
      if (isSent) {
        end();
        Flow.Subscription open = subscription;
        if (open != null) {
          open.cancel();
        }
      } else {
        isOver = true;
        waiting.remove(this);
      }
    }

    private void end() {
      isOver = true;
      inFlight.decrementAndGet();
      sendWaiting();
    }

    @Override
    public void onSubscribe(Flow.Subscription opened) {
      subscription = opened;
      if (isOver) {
        opened.cancel();
      } else {
        opened.request(2); // most answers are one item
      }
    }

    @Override
    public void onNext(byte[] item) {
      if (isOver) {
        return;
      }
      bytes += item.length + ITEM_OVERHEAD;
      Flow.Subscription open = subscription;
      if (bytes > config.maxAnswerBytes() || open == null) {
        cancel();
        listener.failed("answer is too long: bytes=" + bytes);
        return;
      }
      items.add(item);
      open.request(1);
    }

    @Override
    public void onError(Throwable error) {
      if (!isOver) {
        finish(
            error instanceof DynamoException typed ? typed.errorType().reason() : error.toString());
      }
    }

    @Override
    public void onComplete() {
      if (!isOver) {
        finish("no answer");
      }
    }

    private void finish(String whyNone) {
      end();
      if (items.isEmpty()) {
        listener.failed(whyNone);
      } else {
        listener.answered(items);
      }
    }
  }
}
