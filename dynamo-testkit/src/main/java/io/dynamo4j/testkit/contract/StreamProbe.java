// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.AttemptListener;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A subscriber of any shape that notes every breach of what a {@link
 * io.dynamo4j.plane.ResponseStream} promises.
 *
 * <p>It asks for {@link #initialDemand} at the start and {@link #demandPerItem} at each item, and
 * may cancel or throw at an item. {@link #violations} stays empty if every signal came on the lane,
 * never inline, in a legal order and within the demand.
 *
 * @param <T> item type
 */
public final class StreamProbe<T> implements Flow.Subscriber<T>, AttemptListener {
  private final ProbeLane lane;
  private long initialDemand;
  private long demandPerItem;
  private int cancelAt = -1;
  private int throwAt = -1;

  private final ConcurrentLinkedQueue<T> items = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<String> violations = new ConcurrentLinkedQueue<>();
  private final ConcurrentSkipListMap<Integer, CompletableFuture<Void>> milestones =
      new ConcurrentSkipListMap<>();
  private final CompletableFuture<Void> subscribed = new CompletableFuture<>();
  private final CompletableFuture<Void> opened = new CompletableFuture<>();
  private final CompletableFuture<Void> terminated = new CompletableFuture<>();
  private final AtomicLong requested = new AtomicLong();
  private final AtomicInteger received = new AtomicInteger();
  private volatile @Nullable Thread calling;
  private volatile Flow.@Nullable Subscription subscription;
  private volatile @Nullable Throwable error;
  private volatile @Nullable WorkerWithDpRank worker;
  private volatile boolean silent;
  private volatile boolean thrown;
  private volatile boolean cancelledItself;

  private StreamProbe(ProbeLane lane) {
    this.lane = lane;
  }

  /** Returns a probe that asks for nothing, for streams that signal on {@code lane}. */
  public static <T> StreamProbe<T> on(ProbeLane lane) {
    return new StreamProbe<>(Objects.requireNonNull(lane, "lane"));
  }

  /** Returns a probe that asks for everything at once. */
  public static <T> StreamProbe<T> unbounded(ProbeLane lane) {
    return StreamProbe.<T>on(lane).initialDemand(Long.MAX_VALUE);
  }

  /** Asks for {@code n} in {@code onSubscribe}; 0 asks for nothing. */
  public StreamProbe<T> initialDemand(long n) {
    this.initialDemand = n;
    return this;
  }

  /** Asks for {@code n} more in every {@code onNext}. */
  public StreamProbe<T> demandPerItem(long n) {
    this.demandPerItem = n;
    return this;
  }

  /** Cancels inside the {@code n}-th {@code onNext}, from 1; 0 cancels inside onSubscribe. */
  public StreamProbe<T> cancelAt(int n) {
    this.cancelAt = n;
    return this;
  }

  /** Throws from the {@code n}-th {@code onNext}, from 1; 0 throws from onSubscribe. */
  public StreamProbe<T> throwAt(int n) {
    this.throwAt = n;
    return this;
  }

  /** Subscribes to a stream and returns this. */
  public StreamProbe<T> to(Flow.Publisher<T> stream) {
    call(() -> stream.subscribe(this));
    return this;
  }

  /** Asks for {@code n} more; after {@link #subscribed}. */
  public void request(long n) {
    if (n > 0) {
      requested.accumulateAndGet(n, StreamProbe::saturatingAdd);
    }
    call(() -> Objects.requireNonNull(subscription, "not subscribed yet").request(n));
  }

  /** Cancels; after {@link #subscribed}. */
  public void cancel() {
    if (lane.isCurrent()) {
      silent = true;
    }
    call(() -> Objects.requireNonNull(subscription, "not subscribed yet").cancel());
  }

  /** Runs a call under which no signal may come. */
  private void call(Runnable call) {
    Thread before = calling;
    calling = Thread.currentThread();
    try {
      call.run();
    } finally {
      calling = before;
    }
  }

  @Override
  public void onSubscribe(Flow.Subscription s) {
    check("onSubscribe", subscription == null, "second onSubscribe");
    subscription = s;
    if (throwAt == 0) {
      silent = true;
      thrown = true;
      throw new PlannedException();
    }
    if (cancelAt == 0) {
      cancelledItself = true;
      cancel();
    }
    if (initialDemand > 0) {
      request(initialDemand);
    }
    subscribed.complete(null);
  }

  @Override
  public void onNext(T item) {
    check("onNext", subscription != null, "item before onSubscribe");
    int number = received.incrementAndGet();
    if (requested.get() != Long.MAX_VALUE && number > requested.get()) {
      violations.add("item beyond demand: number=" + number + ", requested=" + requested);
    }
    items.add(Objects.requireNonNull(item, "item"));
    if (number == throwAt) {
      silent = true;
      thrown = true;
      reach(number);
      throw new PlannedException();
    }
    if (number == cancelAt) {
      cancelledItself = true;
      cancel();
    }
    if (demandPerItem > 0) {
      request(demandPerItem);
    }
    reach(number);
  }

  private void reach(int number) {
    milestone(number).complete(null);
  }

  @Override
  public void onError(Throwable failure) {
    check("onError", subscription != null, "error before onSubscribe");
    end(failure);
  }

  @Override
  public void onComplete() {
    check("onComplete", subscription != null, "completion before onSubscribe");
    end(null);
  }

  private void end(@Nullable Throwable failure) {
    error = failure;
    if (!terminated.complete(null)) {
      violations.add("second terminal signal: error=" + failure);
    }
  }

  @Override
  public void workerChosen(WorkerWithDpRank chosen) {
    check("workerChosen", received.get() == 0, "worker chosen after an item");
    worker = chosen;
  }

  @Override
  public void streamOpened() {
    check("streamOpened", received.get() == 0, "opened after an item");
    if (!opened.complete(null)) {
      violations.add("stream opened twice");
    }
  }

  private void check(String signal, boolean legal, String otherwise) {
    if (!legal) {
      violations.add(otherwise);
    }
    if (!lane.isCurrent()) {
      violations.add(signal + " outside of the attempt's lane");
    }
    if (calling == Thread.currentThread()) {
      violations.add(signal + " inline");
    }
    if (terminated.isDone() && !signal.startsWith("onError") && !signal.startsWith("onComplete")) {
      violations.add(signal + " after the terminal signal");
    }
    if (silent) {
      violations.add(signal + " after cancel or throw");
    }
  }

  private CompletableFuture<Void> milestone(int number) {
    return milestones.computeIfAbsent(number, key -> new CompletableFuture<>());
  }

  /** Returns false if this throws from {@code onSubscribe}. */
  boolean handshakes() {
    return throwAt != 0;
  }

  /** Returns the items so far. */
  public List<T> items() {
    return List.copyOf(items);
  }

  /** Returns the breaches so far. */
  public List<String> violations() {
    return List.copyOf(violations);
  }

  /** Returns what was asked for so far; MAX_VALUE is unbounded. */
  public long requested() {
    return requested.get();
  }

  /** Returns true once {@code onSubscribe} has returned. */
  public boolean isSubscribed() {
    return subscribed.isDone();
  }

  /** Returns true once this has cancelled by itself. */
  public boolean hasCancelled() {
    return cancelledItself;
  }

  /** Returns true once this has thrown. */
  public boolean hasThrown() {
    return thrown;
  }

  /** Returns the error that ended the stream, or null. */
  public @Nullable Throwable error() {
    return error;
  }

  /** Returns true if the stream ended without error. */
  public boolean isCompleted() {
    return terminated.isDone() && error == null;
  }

  /** Returns true if a terminal signal came. */
  public boolean isTerminated() {
    return terminated.isDone();
  }

  /** Returns true if the worker opened the stream. */
  public boolean isOpened() {
    return opened.isDone();
  }

  /** Returns the worker last chosen for the attempt, or null. */
  public @Nullable WorkerWithDpRank worker() {
    return worker;
  }

  /** Completes at {@code onSubscribe}. */
  public CompletionStage<Void> subscribed() {
    return subscribed;
  }

  /** Completes when the worker has opened the stream. */
  public CompletionStage<Void> opened() {
    return opened;
  }

  /** Completes at the terminal signal. */
  public CompletionStage<Void> terminated() {
    return terminated;
  }

  /** Completes once {@code n} items have come. */
  public CompletionStage<Void> received(int n) {
    CompletableFuture<Void> milestone = milestone(n);
    if (received.get() >= n) {
      milestone.complete(null);
    }
    return milestone;
  }

  private static long saturatingAdd(long a, long b) {
    long sum = a + b;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }

  /** What a probe throws when told to. */
  public static final class PlannedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PlannedException() {
      super("subscriber throws as planned");
    }
  }
}
