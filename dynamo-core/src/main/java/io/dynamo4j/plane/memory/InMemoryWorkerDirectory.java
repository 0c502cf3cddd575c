// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.memory;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.transport.LaneSignal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A directory that is told who is registered.
 *
 * <p>Changes form one linked log, each entry with the snapshot after it; a watch is a cursor into
 * the log, so every watch sees every change in one order, and a change costs O(workers + watches).
 * A watch whose lane stands still keeps the log from its cursor on alive.
 *
 * <p><b>Threads.</b> Any; lock-free.
 */
public final class InMemoryWorkerDirectory implements WorkerDirectory {
  private static final AtomicReferenceFieldUpdater<InMemoryWorkerDirectory, Change> LAST =
      AtomicReferenceFieldUpdater.newUpdater(InMemoryWorkerDirectory.class, Change.class, "last");

  private volatile Change last = Change.origin();
  private final CopyOnWriteArrayList<Watch> watches = new CopyOnWriteArrayList<>();

  private InMemoryWorkerDirectory() {}

  /** Returns an empty directory. */
  public static InMemoryWorkerDirectory create() {
    return new InMemoryWorkerDirectory();
  }

  /**
   * Registers an instance, replacing the record of the same worker id if there is one; watches see
   * {@link WorkerDirectory.Listener#added} in both cases.
   */
  public void register(WorkerInstance instance) {
    Objects.requireNonNull(instance, "instance");
    Change tail;
    Change change;
    do {
      tail = last;
      change = tail.register(instance);
    } while (!LAST.compareAndSet(this, tail, change));
    publish(tail, change);
  }

  /**
   * Removes a worker.
   *
   * @return false if it was not registered
   */
  public boolean unregister(long workerId) {
    while (true) {
      Change tail = last;
      int index = indexOf(tail.instances, workerId);
      if (index < 0) {
        return false;
      }
      Change change = tail.unregister(index);
      if (LAST.compareAndSet(this, tail, change)) {
        publish(tail, change);
        return true;
      }
    }
  }

  /**
   * Removes this life of a worker: a late call for an old life leaves its successor alone.
   *
   * @return false if no instance of this id and incarnation is registered
   */
  public boolean unregister(WorkerInstance instance) {
    while (true) {
      Change tail = last;
      int index = indexOf(tail.instances, instance.workerId());
      if (index < 0 || tail.instances.get(index).incarnation() != instance.incarnation()) {
        return false;
      }
      Change change = tail.unregister(index);
      if (LAST.compareAndSet(this, tail, change)) {
        publish(tail, change);
        return true;
      }
    }
  }

  @Override
  public List<WorkerInstance> instances() {
    return last.instances;
  }

  @Override
  public Subscription watch(Scheduler lane, Listener listener) {
    Watch watch = new Watch(lane, listener);
    // Registered before it takes its cursor: no change can fall between.
    watches.add(watch);
    watch.start(last);
    return watch;
  }

  private void publish(Change before, Change change) {
    before.next = change;
    for (Watch watch : watches) {
      watch.wake();
    }
  }

  /** Returns the index of a worker, or {@code -(insertion point) - 1}. */
  private static int indexOf(List<WorkerInstance> instances, long workerId) {
    int low = 0;
    int high = instances.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = Long.compareUnsigned(instances.get(middle).workerId(), workerId);
      if (order == 0) {
        return middle;
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -low - 1;
  }

  /** One entry of the log. */
  private static final class Change {
    final List<WorkerInstance> instances;
    final @Nullable WorkerInstance added;
    final @Nullable WorkerInstance removed;
    volatile @Nullable Change next;

    private Change(
        List<WorkerInstance> instances,
        @Nullable WorkerInstance added,
        @Nullable WorkerInstance removed) {
      this.instances = instances;
      this.added = added;
      this.removed = removed;
    }

    static Change origin() {
      return new Change(Collections.emptyList(), null, null);
    }

    Change register(WorkerInstance instance) {
      List<WorkerInstance> copy = new ArrayList<>(instances.size() + 1);
      copy.addAll(instances);
      int index = indexOf(instances, instance.workerId());
      if (index >= 0) {
        copy.set(index, instance);
      } else {
        copy.add(-index - 1, instance);
      }
      return new Change(Collections.unmodifiableList(copy), instance, null);
    }

    Change unregister(int index) {
      List<WorkerInstance> copy = new ArrayList<>(instances);
      WorkerInstance gone = copy.remove(index);
      return new Change(Collections.unmodifiableList(copy), null, gone);
    }
  }

  /** A cursor into the log; {@code seen} and {@code replayed} belong to its lane. */
  private final class Watch implements Subscription {
    private final Listener listener;
    private final LaneSignal signal;
    private @Nullable Change seen;
    private int replayed;
    // Where to start; null before it is known and after the replay.
    private volatile @Nullable Change origin;
    private volatile boolean closed;

    Watch(Scheduler lane, Listener listener) {
      this.listener = Objects.requireNonNull(listener, "listener");
      this.signal = LaneSignal.of(Objects.requireNonNull(lane, "lane"), this::drain);
    }

    void start(Change from) {
      origin = from;
      wake();
    }

    void wake() {
      if (!signal.raise()) {
        close();
      }
    }

    private void drain() {
      boolean finished = false;
      try {
        replay();
        follow();
        finished = true;
      } finally {
        if (!finished) {
          // The listener threw: its lane reports that, and the rest still arrives.
          signal.raise();
        }
        if (closed) {
          seen = null;
          origin = null;
        }
      }
    }

    private void replay() {
      Change from = origin;
      if (from == null) {
        return;
      }
      while (replayed < from.instances.size() && !closed) {
        listener.added(from.instances.get(replayed++));
      }
      seen = from;
      origin = null;
    }

    private void follow() {
      Change at = seen;
      if (at == null) {
        return;
      }
      for (Change next = at.next; next != null && !closed; next = next.next) {
        seen = next;
        report(next);
      }
    }

    private void report(Change change) {
      if (change.added != null) {
        listener.added(change.added);
      } else if (change.removed != null) {
        listener.removed(change.removed);
      }
    }

    @Override
    public void close() {
      closed = true;
      watches.remove(this);
      signal.raise();
    }
  }
}
