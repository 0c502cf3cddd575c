// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.AttemptListener;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * One attempt as its request sees it. Each attempt has its own subscriber, so that signals which
 * arrive after it was given up can be told apart and dropped.
 */
final class AttemptRun<R> implements Flow.Subscriber<R>, AttemptListener {

  /** The request that made the attempt. */
  interface Owner<R> {
    void workerChosen(AttemptRun<R> run);

    void subscribed(AttemptRun<R> run);

    void opened(AttemptRun<R> run);

    void received(AttemptRun<R> run, R item);

    void completed(AttemptRun<R> run);

    void failed(AttemptRun<R> run, Throwable failure);

    /** A signal came though the attempt had ended or been given up. */
    void dropped();
  }

  private final Owner<R> owner;
  private final int number;
  private Flow.@Nullable Subscription upstream;
  private @Nullable WorkerWithDpRank worker;
  private boolean opened;
  private boolean proven;
  private boolean ended;

  AttemptRun(Owner<R> owner, int number) {
    this.owner = owner;
    this.number = number;
  }

  int number() {
    return number;
  }

  @Nullable WorkerWithDpRank worker() {
    return worker;
  }

  /** Returns whether the worker opened its stream, by its prologue or a first item. */
  boolean isOpened() {
    return opened;
  }

  /** Returns whether the worker has brought part of an answer. */
  boolean isProven() {
    return proven;
  }

  void prove() {
    proven = true;
  }

  void request(long n) {
    if (upstream != null && n > 0) {
      upstream.request(n);
    }
  }

  /** Gives the attempt up: its worker hears of it, its further signals are dropped. */
  void abandon() {
    if (ended) {
      return;
    }
    ended = true;
    if (upstream != null) {
      upstream.cancel();
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
  public void streamOpened() {
    if (!ended && !opened) {
      opened = true;
      owner.opened(this);
    }
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    if (ended || upstream != null) {
      subscription.cancel();
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
    owner.failed(this, failure);
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
