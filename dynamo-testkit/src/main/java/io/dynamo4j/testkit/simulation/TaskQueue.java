// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.simulation;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Pending tasks in the order of {@link SimulatedTask#isBefore}: a 4-ary heap.
 *
 * <p>Cancelling leaves a dead entry behind; once more than half of the entries are dead the heap is
 * rebuilt without them, so a cancel costs O(1) amortized.
 */
final class TaskQueue {
  private static final int ARITY_SHIFT = 2;
  private static final int REBUILD_MINIMUM = 64;

  private @Nullable SimulatedTask[] heap = new SimulatedTask[256];
  private int size;
  private int dead;

  /** Returns the number of tasks that are still to run. */
  int liveCount() {
    return size - dead;
  }

  /** Returns the first task that is still to run, or null. */
  @Nullable SimulatedTask peek() {
    while (size > 0) {
      SimulatedTask first = at(0);
      if (first.body != null) {
        return first;
      }
      removeFirst();
      dead--;
    }
    return null;
  }

  void add(SimulatedTask task) {
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, size * 2);
    }
    siftUp(size++, task);
  }

  /** Takes out the entry that {@link #peek} returned. */
  void removeFirst() {
    SimulatedTask last = at(--size);
    heap[size] = null;
    if (size > 0) {
      siftDown(0, last);
    }
  }

  /** Counts an entry whose body was just cleared. */
  void onCancelled() {
    dead++;
    if (dead > size / 2 && size >= REBUILD_MINIMUM) {
      rebuild();
    }
  }

  /** Drops the tasks of lanes whose node's life is over; returns how many. */
  int dropDeadLanes() {
    int dropped = 0;
    for (int i = 0; i < size; i++) {
      SimulatedTask task = at(i);
      if (task.body != null && task.lane.isDead()) {
        task.body = null;
        dropped++;
      }
    }
    dead += dropped;
    rebuild();
    return dropped;
  }

  private void rebuild() {
    int kept = 0;
    for (int i = 0; i < size; i++) {
      SimulatedTask task = at(i);
      if (task.body != null) {
        heap[kept++] = task;
      }
    }
    Arrays.fill(heap, kept, size, null);
    size = kept;
    dead = 0;
    for (int i = ((size - 2) >> ARITY_SHIFT); i >= 0; i--) {
      siftDown(i, at(i));
    }
  }

  private void siftUp(int from, SimulatedTask task) {
    int slot = from;
    while (slot > 0) {
      int parent = (slot - 1) >> ARITY_SHIFT;
      SimulatedTask above = at(parent);
      if (!task.isBefore(above)) {
        break;
      }
      heap[slot] = above;
      slot = parent;
    }
    heap[slot] = task;
  }

  private void siftDown(int from, SimulatedTask task) {
    int slot = from;
    int child = (slot << ARITY_SHIFT) + 1;
    while (child < size) {
      int best = child;
      int end = Math.min(child + (1 << ARITY_SHIFT), size);
      for (int i = child + 1; i < end; i++) {
        if (at(i).isBefore(at(best))) {
          best = i;
        }
      }
      if (!at(best).isBefore(task)) {
        break;
      }
      heap[slot] = heap[best];
      slot = best;
      child = (slot << ARITY_SHIFT) + 1;
    }
    heap[slot] = task;
  }

  @SuppressWarnings("NullAway") // every slot below size is filled
  private SimulatedTask at(int slot) {
    return heap[slot];
  }
}
