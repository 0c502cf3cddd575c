// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.memory;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventChannel;
import io.dynamo4j.plane.EventChannelDirectory;
import io.dynamo4j.plane.Subscription;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A directory of event channels inside one process: for tests, and for hosts that learn addresses
 * by means of their own.
 *
 * <p><b>Threads.</b> Any. A lock is held while a change is noted and handed to the lanes of the
 * watches, never while a listener runs. A change costs O(channels + watches).
 */
public final class InMemoryEventChannels implements EventChannelDirectory {
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Watch> watches = new ArrayList<>();
  private volatile List<EventChannel> channels = List.of();

  private InMemoryEventChannels() {}

  /** Returns an empty directory. */
  public static InMemoryEventChannels create() {
    return new InMemoryEventChannels();
  }

  @Override
  public List<EventChannel> channels() {
    return channels;
  }

  @Override
  public Subscription register(EventChannel channel) {
    // A copy of its own: closing tells this registration from an equal one.
    EventChannel own =
        new EventChannel(
            channel.scope(), channel.topic(), channel.publisherId(), channel.address());
    lock.lock();
    try {
      for (EventChannel known : channels) {
        if (known.isSamePublisher(own)) {
          remove(known);
        }
      }
      List<EventChannel> next = new ArrayList<>(channels);
      next.add(own);
      channels = Collections.unmodifiableList(next);
      List.copyOf(watches).forEach(watch -> watch.added(own));
    } finally {
      lock.unlock();
    }
    return () -> unregister(own);
  }

  @SuppressWarnings("ReferenceEquality") // an equal channel of a later registration stays
  private void unregister(EventChannel own) {
    lock.lock();
    try {
      for (EventChannel known : channels) {
        if (known == own) {
          remove(known);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private void remove(EventChannel known) {
    List<EventChannel> next = new ArrayList<>(channels);
    next.remove(known);
    channels = Collections.unmodifiableList(next);
    List.copyOf(watches).forEach(watch -> watch.removed(known));
  }

  @Override
  public Subscription watch(Scheduler lane, Listener listener) {
    Watch watch =
        new Watch(
            Objects.requireNonNull(lane, "lane"), Objects.requireNonNull(listener, "listener"));
    lock.lock();
    try {
      channels.forEach(watch::added);
      watches.add(watch);
    } finally {
      lock.unlock();
    }
    return watch;
  }

  /** One listener and its lane. */
  private final class Watch implements Subscription {
    private final Scheduler lane;
    private final Listener listener;
    private final AtomicBoolean closed = new AtomicBoolean();

    Watch(Scheduler lane, Listener listener) {
      this.lane = lane;
      this.listener = listener;
    }

    void added(EventChannel channel) {
      report(() -> listener.added(channel));
    }

    void removed(EventChannel channel) {
      report(() -> listener.removed(channel));
    }

    private void report(Runnable report) {
      if (closed.get()) {
        return;
      }
      try {
        lane.execute(
            () -> {
              if (!closed.get()) {
                report.run();
              }
            });
      } catch (RejectedExecutionException laneClosed) {
        close();
      }
    }

    @Override
    public void close() {
      if (closed.compareAndSet(false, true)) {
        lock.lock();
        try {
          watches.remove(this);
        } finally {
          lock.unlock();
        }
      }
    }
  }
}
