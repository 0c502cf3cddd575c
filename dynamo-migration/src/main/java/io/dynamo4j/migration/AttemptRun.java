// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.migration.event.AttemptPhase;
import io.dynamo4j.migration.event.AttemptReason;
import io.dynamo4j.plane.AttemptListener;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt as its request sees it. Each attempt has its own subscriber, so that signals which
 * arrive after it was given up can be told apart and dropped.
 *
 * <p>The stream is the host's: whatever it throws or hands over that is null fails the attempt.
 */
final class AttemptRun<R> implements Flow.Subscriber<R>, AttemptListener {

  /** The request that made the attempt. */
  interface Owner<R> {
    void workerChosen(AttemptRun<R> run);

    void acknowledged(AttemptRun<R> run);

    void subscribed(AttemptRun<R> run);

    void opened(AttemptRun<R> run);

    void received(AttemptRun<R> run, R item);

    void completed(AttemptRun<R> run);

    void failed(AttemptRun<R> run, Throwable failure);

    /** A signal came though the attempt had ended or been given up. */
    void dropped();
  }

  private static final Logger LOG = LoggerFactory.getLogger(Migrator.class);

  private final Owner<R> owner;
  private final int number;
  private final AttemptReason reason;
  private final long startNanos;
  private AttemptPhase phase = AttemptPhase.CONNECT;
  private long progressNanos;
  private @Nullable Deque<R> kept;
  private Flow.@Nullable Subscription upstream;
  private @Nullable WorkerWithDpRank worker;
  private boolean proven;
  private boolean excused;
  private boolean ended;

  AttemptRun(Owner<R> owner, int number, AttemptReason reason, long startNanos) {
    this.owner = owner;
    this.number = number;
    this.reason = reason;
    this.startNanos = startNanos;
    this.progressNanos = startNanos;
  }

  int number() {
    return number;
  }

  AttemptReason reason() {
    return reason;
  }

  @Nullable WorkerWithDpRank worker() {
    return worker;
  }

  /** Returns when the attempt was dispatched. */
  long startNanos() {
    return startNanos;
  }

  /** Returns what the attempt brings next; never {@code END}, which the answer knows. */
  AttemptPhase phase() {
    return phase;
  }

  /** Returns when the attempt last made progress. */
  long progressNanos() {
    return progressNanos;
  }

  /** The attempt made progress, or there was no reason that it should have. */
  void progressed(long nowNanos) {
    progressNanos = nowNanos;
  }

  /** The attempt brought a token or a finish reason. */
  void answered(long nowNanos) {
    phase = AttemptPhase.NEXT_TOKEN;
    progressNanos = nowNanos;
  }

  /** Returns whether the worker opened its stream, by its prologue or a first item. */
  boolean isOpened() {
    return phase == AttemptPhase.FIRST_TOKEN || phase == AttemptPhase.NEXT_TOKEN;
  }

  /** Returns whether the worker has brought part of an answer. */
  boolean isProven() {
    return proven;
  }

  void prove() {
    proven = true;
  }

  /** Whatever becomes of the attempt says nothing about its worker. */
  void excuse() {
    excused = true;
  }

  boolean isExcused() {
    return excused;
  }

  boolean isEnded() {
    return ended;
  }

  /** Keeps an item that the client may get later. */
  void keep(R item) {
    if (kept == null) {
      kept = new ArrayDeque<>();
    }
    kept.add(item);
  }

  int keptCount() {
    return kept == null ? 0 : kept.size();
  }

  /** Returns and forgets the oldest item kept, or null. */
  @Nullable R takeKept() {
    return kept == null ? null : kept.poll();
  }

  /** Asks for more; a stream that throws has failed. */
  void request(long n) {
    if (ended || upstream == null || n <= 0) {
      return;
    }
    try {
      upstream.request(n);
    } catch (Throwable failure) {
      abandon();
      owner.failed(this, failure);
    }
  }

  /** Gives the attempt up: its worker hears of it, its further signals are dropped. */
  void abandon() {
    if (ended) {
      return;
    }
    ended = true;
    if (upstream != null) {
      cancel(upstream);
    }
  }

  private void cancel(Flow.Subscription subscription) {
    try {
      subscription.cancel();
    } catch (Throwable failure) {
      LOG.warn("stream threw when cancelled: worker={}, attempt={}", worker, number, failure);
    }
  }

  @Override
  public void workerChosen(WorkerWithDpRank chosen) {
    if (!ended) {
      worker = chosen;
      owner.workerChosen(this);
    }
  }

  @Override
  public void requestAcknowledged() {
    if (!ended && phase == AttemptPhase.CONNECT) {
      phase = AttemptPhase.PROLOGUE;
      owner.acknowledged(this);
    }
  }

  @Override
  public void streamOpened() {
    if (!ended && !isOpened()) {
      phase = AttemptPhase.FIRST_TOKEN;
      owner.opened(this);
    }
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    if (subscription == null) {
      onError(new NullPointerException("subscription"));
      return;
    }
    if (ended || upstream != null) {
      cancel(subscription);
      return;
    }
    upstream = subscription;
    owner.subscribed(this);
  }

  @Override
  public void onNext(R item) {
    if (ended) {
      owner.dropped();
      return;
    }
    if (item == null) {
      abandon();
      owner.failed(this, new NullPointerException("item"));
      return;
    }
    streamOpened();
    owner.received(this, item);
  }

  @Override
  public void onError(Throwable failure) {
    if (ended) {
      owner.dropped();
      return;
    }
    ended = true;
    owner.failed(this, failure == null ? new NullPointerException("error") : failure);
  }

  @Override
  public void onComplete() {
    if (ended) {
      owner.dropped();
      return;
    }
    ended = true;
    owner.completed(this);
  }
}
