// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import io.dynamo4j.core.model.LookupScope;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Dense numbers of ranks, lowest free first, used again when their rank is gone.
 *
 * <p><b>Threads.</b> One writer. Readers take the {@link #tenants} of one moment, which never
 * change: a taking or freeing replaces them as a whole.
 */
final class RankSlots {
  private static final VarHandle TENANTS;

  static {
    try {
      TENANTS = MethodHandles.lookup().findVarHandle(RankSlots.class, "tenants", Tenants.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private Tenants tenants =
      new Tenants(new WorkerWithDpRank[Long.SIZE], new long[Long.SIZE], new long[1], 0);
  private long stays;

  /** Who had which slot at one moment; arrays are not written to. */
  static final class Tenants {
    private final @Nullable WorkerWithDpRank[] workers;
    // By slot: the number of the stay that began last, so that two stays of one rank are told
    // apart.
    private final long[] stayOf;
    private final long[] occupied;
    private final int count;

    private Tenants(
        @Nullable WorkerWithDpRank[] workers, long[] stayOf, long[] occupied, int count) {
      this.workers = workers;
      this.stayOf = stayOf;
      this.occupied = occupied;
      this.count = count;
    }

    @Nullable WorkerWithDpRank[] workers() {
      return workers;
    }

    /** Returns the longs of a set of slots. */
    int words() {
      return occupied.length;
    }

    /** Returns one word of the slots taken. */
    long occupiedWord(int word) {
      return occupied[word];
    }

    boolean isTaken(int slot) {
      return slot < workers.length && workers[slot] != null;
    }

    /** Returns the slot of a rank, negative if it has none. O(slots). */
    int slotOf(WorkerWithDpRank worker) {
      for (int slot = 0; slot < workers.length; slot++) {
        if (worker.equals(workers[slot])) {
          return slot;
        }
      }
      return -1;
    }

    /** Sets the bits of the ranks in a scope, all others clear. */
    void select(LookupScope scope, long[] bits) {
      Arrays.fill(bits, 0);
      for (int slot = 0; slot < workers.length; slot++) {
        WorkerWithDpRank worker = workers[slot];
        if (worker != null && scope.includes(worker)) {
          bits[slot >> 6] |= 1L << slot;
        }
      }
    }

    /** Returns the number of slots taken. */
    int count() {
      return count;
    }

    /** Returns whether a slot has the same tenant, and not one that came after. */
    boolean hasSameTenant(int slot, Tenants other) {
      return isTaken(slot) && stayOf[slot] == other.stayOf[slot];
    }
  }

  /** Returns the tenants as of now. */
  Tenants tenants() {
    return (Tenants) TENANTS.getAcquire(this);
  }

  /** Returns the slot that {@link #take} gives next. */
  int next() {
    long[] occupied = tenants.occupied;
    int word = 0;
    while (word < occupied.length && occupied[word] == -1L) {
      word++;
    }
    return (word << 6)
        + (word == occupied.length ? 0 : Long.numberOfTrailingZeros(~occupied[word]));
  }

  /** Makes a rank the tenant of the next slot. */
  void take(WorkerWithDpRank worker) {
    stays++;
    replace(next(), worker);
  }

  void free(int slot) {
    replace(slot, null);
  }

  private void replace(int slot, @Nullable WorkerWithDpRank worker) {
    Tenants before = tenants;
    int length = before.workers.length;
    int needed = slot < length ? length : length * 2;
    @Nullable WorkerWithDpRank[] workers = Arrays.copyOf(before.workers, needed);
    long[] occupied = Arrays.copyOf(before.occupied, needed >> 6);
    workers[slot] = worker;
    long[] stayOf = Arrays.copyOf(before.stayOf, needed);
    stayOf[slot] = stays;
    occupied[slot >> 6] ^= 1L << slot;
    int count = before.count + (worker == null ? -1 : 1);
    TENANTS.setRelease(this, new Tenants(workers, stayOf, occupied, count));
  }
}
