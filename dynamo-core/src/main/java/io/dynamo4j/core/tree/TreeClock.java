// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Counts the changes of a tree, so that a reader can tell what came between: all of them, and those
 * that took blocks from a rank.
 *
 * <p><b>Threads.</b> The writer brackets every change with {@link #begin} and {@link #end} and
 * announces a loss before it makes it. Readers call the other methods.
 */
final class TreeClock {
  /*
   * Structure  cells [ .. | TIME | LAST_LOSS | .. ]   alone on their cache lines: written all the time
   *            lossOfSlot [ slot -> time of its last loss ]
   *
   *            Time is odd while a change is being made, and the time of a change is that odd number.
   * Reads      whoever has seen anything that was written after a loss was announced, and passes an
   *            acquire fence, sees that loss here: LAST_LOSS and lossOfSlot are written before it.
   */
  private static final int LINE = 16;
  private static final int TIME = LINE;
  private static final int LAST_LOSS = LINE + 1;
  private static final VarHandle LOSS_OF_SLOT;

  static {
    try {
      LOSS_OF_SLOT =
          MethodHandles.lookup().findVarHandle(TreeClock.class, "lossOfSlot", long[].class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final long[] cells = new long[3 * LINE];
  private long[] lossOfSlot = new long[Long.SIZE];

  /* --------------- Writer --------------- */

  void begin() {
    Racy.setOpaque(cells, TIME, cells[TIME] + 1);
    VarHandle.storeStoreFence();
  }

  void end() {
    Racy.setRelease(cells, TIME, cells[TIME] + 1);
  }

  /** Announces that the change being made takes blocks from the rank of a slot. */
  void announceLoss(int slot) {
    long now = cells[TIME];
    Racy.setOpaque(lossOfSlot, slot, now);
    Racy.setOpaque(cells, LAST_LOSS, now);
    VarHandle.storeStoreFence();
  }

  void makeRoomForSlots(int slots) {
    if (slots > lossOfSlot.length) {
      LOSS_OF_SLOT.setRelease(this, Arrays.copyOf(lossOfSlot, lossOfSlot.length * 2));
    }
  }

  /* --------------- Readers --------------- */

  /** Returns the time, odd if a change is being made. */
  long time() {
    return Racy.getAcquire(cells, TIME);
  }

  /** Returns the last time at which all changes begun were also made. */
  long settledTime() {
    return time() & ~1L;
  }

  /** Returns the time of the last change that took blocks from a rank. */
  long lastLoss() {
    return Racy.getOpaque(cells, LAST_LOSS);
  }

  /** Returns the time of the last change that took blocks from the rank of a slot. */
  long lossOf(int slot) {
    return Racy.getOpaque((long[]) LOSS_OF_SLOT.getAcquire(this), slot);
  }
}
