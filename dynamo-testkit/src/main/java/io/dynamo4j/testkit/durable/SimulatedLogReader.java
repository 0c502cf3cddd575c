// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.durable;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.DurableLogException.Reason;
import io.dynamo4j.plane.LogEntry;
import io.dynamo4j.plane.LogListener;
import io.dynamo4j.plane.LogSubscription;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One reader: asks for entries behind the last it has, again where no answer comes, never for more
 * than the window has room for. Runs on the link's lane.
 */
final class SimulatedLogReader implements LogSubscription {
  /** Entries beyond the acknowledged ones at most. */
  static final int WINDOW = 256;

  private static final long PULL_NANOS = 5_000_000_000L;
  private static final long MARGIN_NANOS = 1_000_000_000L;

  private final SimulatedLink link;
  private final String name;
  private final long fromSequence;
  private final Scheduler lane;
  private final LogListener listener;
  private boolean registered;
  private boolean pulling;
  private boolean ended;
  private long received;
  private long acknowledged;
  private @Nullable Cancellable retry;

  SimulatedLogReader(
      SimulatedLink link, String name, long fromSequence, Scheduler lane, LogListener listener) {
    this.link = link;
    this.name = name;
    this.fromSequence = fromSequence;
    this.lane = lane;
    this.listener = listener;
  }

  boolean isEnded() {
    return ended;
  }

  void start() {
    link.call(() -> link.server().register(name, fromSequence))
        .whenComplete(
            (after, failure) -> {
              if (ended) {
                return;
              }
              if (failure != null) {
                startAgain(DurableLogException.of(failure));
              } else {
                registered = true;
                received = after;
                acknowledged = after;
                deliver(listener::ready);
                pull();
              }
            });
  }

  private void startAgain(DurableLogException failure) {
    if (failure.isTransient()) {
      start();
    } else {
      fail(failure);
    }
  }

  private void pull() {
    int room = (int) (WINDOW - (received - acknowledged));
    if (ended || pulling || !registered) {
      return;
    }
    pulling = true;
    // Without room it only shows that somebody is there.
    long until = link.server().simulation().nowNanos() + PULL_NANOS;
    long after = received;
    link.send(
        () ->
            link.server()
                .pull(
                    name,
                    after,
                    Math.max(0, room),
                    until,
                    found -> link.answer(() -> received(after, found))));
    retry = link.lane().schedule(this::pullAgain, PULL_NANOS + MARGIN_NANOS);
  }

  private void pullAgain() {
    pulling = false;
    pull();
  }

  private void received(long after, @Nullable List<LogEntry> found) {
    if (ended || after != received) {
      return;
    }
    if (found == null) {
      fail(new DurableLogException(Reason.CONSUMER_GONE, "reader is not known: name=" + name));
      return;
    }
    stopWaiting();
    for (LogEntry entry : found) {
      received = entry.sequence();
      deliver(() -> listener.entry(entry));
    }
    pull();
  }

  private void stopWaiting() {
    pulling = false;
    if (retry != null) {
      retry.cancel();
    }
  }

  private void deliver(Runnable call) {
    try {
      lane.execute(
          () -> {
            if (!ended) {
              call.run();
            }
          });
    } catch (RejectedExecutionException gone) {
      ended = true;
    }
  }

  private void fail(DurableLogException failure) {
    stopWaiting();
    deliver(
        () -> {
          ended = true;
          listener.failed(failure);
        });
  }

  @Override
  public void acknowledge(long sequence) {
    if (ended || sequence <= acknowledged) {
      return;
    }
    boolean wasFull = received - acknowledged >= WINDOW;
    acknowledged = sequence;
    link.send(() -> link.server().acknowledge(name, sequence));
    if (wasFull) {
      stopWaiting();
      pull();
    }
  }

  @Override
  public void close() {
    if (!ended) {
      ended = true;
      stopWaiting();
      link.send(() -> link.server().leave(name));
    }
  }
}
