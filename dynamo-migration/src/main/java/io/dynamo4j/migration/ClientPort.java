// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.runtime.Scheduler;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client's end of a request: what it may still receive, and the way there.
 *
 * <p><b>Threads.</b> {@link #request} and {@link #cancel} come from anywhere and only leave a note
 * for the lane; everything else belongs to the lane. A note is one task at most however often the
 * client asks, so a client that requests from within {@code onNext} does not recurse.
 */
final class ClientPort<R> implements Flow.Subscription {
  private static final Logger LOG = LoggerFactory.getLogger(Migrator.class);

  /** What the lane does about the client's calls. */
  interface Owner {

    /** The outstanding demand grew by {@code added}. */
    void demanded(long added);

    void cancelled();

    /** The client broke the protocol and expects this error. */
    void misused(IllegalArgumentException error);
  }

  private static final Owner NOBODY =
      new Owner() {
        @Override
        public void demanded(long added) {}

        @Override
        public void cancelled() {}

        @Override
        public void misused(IllegalArgumentException error) {}
      };

  private final Scheduler lane;
  private final AtomicLong notedDemand = new AtomicLong();
  private final AtomicBoolean noted = new AtomicBoolean();
  private final Runnable readNotes = this::readNotes;
  private volatile boolean cancelled;
  private volatile @Nullable IllegalArgumentException misuse;

  private Owner owner = NOBODY;
  private Flow.@Nullable Subscriber<? super R> subscriber;
  private long outstanding;
  private @Nullable Throwable thrown;

  ClientPort(Scheduler lane, Flow.Subscriber<? super R> subscriber) {
    this.lane = lane;
    this.subscriber = subscriber;
  }

  @Override
  public void request(long n) {
    if (n <= 0) {
      misuse =
          new IllegalArgumentException(
              "request must be positive, by rule 3.9 of Reactive Streams: n=" + n);
    } else {
      notedDemand.accumulateAndGet(n, ClientPort::saturatedSum);
    }
    leaveNote();
  }

  @Override
  public void cancel() {
    cancelled = true;
    leaveNote();
  }

  private void leaveNote() {
    if (!noted.compareAndSet(false, true)) {
      return;
    }
    try {
      lane.execute(readNotes);
    } catch (RejectedExecutionException closed) {
      LOG.debug("client signal after its lane closed");
    }
  }

  private void readNotes() {
    noted.set(false);
    if (subscriber != null) {
      heedNotes();
    }
    rethrow();
  }

  private void heedNotes() {
    if (cancelled) {
      subscriber = null;
      owner.cancelled();
      return;
    }
    IllegalArgumentException error = misuse;
    if (error != null) {
      owner.misused(error);
      return;
    }
    long added = notedDemand.getAndSet(0);
    if (added > 0) {
      outstanding = saturatedSum(outstanding, added);
      owner.demanded(added);
    }
  }

  /** Tells the client that it is subscribed; the owner hears of its calls from now on. */
  void open(Owner newOwner) {
    owner = newOwner;
    Flow.Subscriber<? super R> target = subscriber;
    if (target == null) {
      return;
    }
    try {
      target.onSubscribe(this);
    } catch (Throwable failure) {
      clientFailed(failure);
    }
  }

  /** Answers a subscriber that is one too many. */
  void reject(Exception error) {
    open(NOBODY);
    fail(error);
  }

  /** Returns whether the client still takes signals: false from the moment it cancels. */
  boolean isOpen() {
    return subscriber != null && !cancelled;
  }

  /** Returns how many more items the client has asked for. */
  long outstanding() {
    return outstanding;
  }

  /** Delivers one item; {@link #outstanding()} must be positive. */
  void deliver(R item) {
    Flow.Subscriber<? super R> target = subscriber;
    if (target == null || cancelled) {
      return;
    }
    if (outstanding != Long.MAX_VALUE) {
      outstanding--;
    }
    try {
      target.onNext(item);
    } catch (Throwable failure) {
      clientFailed(failure);
    }
  }

  void complete() {
    Flow.Subscriber<? super R> target = subscriber;
    subscriber = null;
    if (target == null || cancelled) {
      return;
    }
    try {
      target.onComplete();
    } catch (RuntimeException failure) {
      LOG.warn("subscriber threw from onComplete", failure);
    }
  }

  void fail(Throwable error) {
    Flow.Subscriber<? super R> target = subscriber;
    subscriber = null;
    if (target == null || cancelled) {
      return;
    }
    try {
      target.onError(error);
    } catch (RuntimeException failure) {
      LOG.warn("subscriber threw from onError", failure);
    }
  }

  /** Cancels for a subscriber that threw; the lane reports it once that is done. */
  private void clientFailed(Throwable failure) {
    thrown = failure;
    cancel();
  }

  private void rethrow() {
    Throwable failure = thrown;
    thrown = null;
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof RuntimeException exception) {
      throw exception;
    }
    if (failure != null) {
      throw new IllegalStateException("subscriber threw a checked exception", failure);
    }
  }

  private static long saturatedSum(long a, long b) {
    long sum = a + b;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }
}
