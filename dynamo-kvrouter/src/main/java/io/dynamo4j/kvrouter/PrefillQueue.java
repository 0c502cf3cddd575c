// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import org.jspecify.annotations.Nullable;

/**
 * Prompt tokens that one rank still has to compute, first come, first served.
 *
 * <p>The first prompt of the queue, the anchor, is taken to be in work since it became the first.
 * Where every prompt says how long it will take, load decays as if tokens were computed at the
 * anchor's pace, into the prompts behind it. Where one does not, only the anchor decays, and only
 * if it says. Without any predicted duration the load is the plain sum.
 *
 * <p><b>Threads.</b> Not thread-safe. <b>Cost.</b> O(1) an operation.
 */
final class PrefillQueue {

  /** A prompt that is, was or will be in one queue. */
  static class Item {
    private final long tokens;
    private final long durationNanos;
    private @Nullable Item before;
    private @Nullable Item behind;
    private boolean queued;

    /**
     * Describes a prompt.
     *
     * @param tokens tokens to be computed; without any it never queues
     * @param durationNanos how long that takes, negative if unknown
     */
    Item(long tokens, long durationNanos) {
      this.tokens = tokens;
      this.durationNanos = durationNanos;
    }

    private boolean isModelled() {
      return durationNanos >= 0;
    }
  }

  private @Nullable Item head;
  private @Nullable Item tail;
  private long tokens;
  private int size;
  private int unmodelled;
  private long anchorNanos;

  void add(Item item, long nowNanos) {
    if (item.tokens <= 0) {
      return;
    }
    item.queued = true;
    item.before = tail;
    if (tail == null) {
      head = item;
      anchorNanos = nowNanos;
    } else {
      tail.behind = item;
    }
    tail = item;
    tokens += item.tokens;
    size++;
    unmodelled += item.isModelled() ? 0 : 1;
  }

  /** Takes a prompt out; nothing happens if it is not in the queue. */
  void remove(Item item, long nowNanos) {
    if (!item.queued) {
      return;
    }
    if (item == head) {
      anchorNanos = nowNanos;
    } else if (item.isModelled()) {
      // Time that was spent on it so far was not spent on the anchor.
      anchorNanos += Math.min(item.durationNanos, Math.max(0, nowNanos - anchorNanos));
    }
    unlink(item);
    tokens -= item.tokens;
    size--;
    unmodelled -= item.isModelled() ? 0 : 1;
  }

  /** Returns whether {@link #active} changes with time, as prompts say how long they take. */
  boolean decays() {
    return unmodelled < size;
  }

  /** Returns the tokens not computed yet. */
  long active(long nowNanos) {
    Item anchor = head;
    if (anchor == null || unmodelled == size) {
      return tokens; // nothing of which decays; the first prompt need not be looked at
    }
    long elapsed = Math.max(0, nowNanos - anchorNanos);
    if (unmodelled > 0) {
      return tokens - anchor.tokens + remaining(anchor, elapsed);
    }
    if (anchor.durationNanos == 0) {
      return tokens - anchor.tokens;
    }
    double done = Math.floor((double) anchor.tokens * elapsed / anchor.durationNanos);
    return done >= tokens ? 0 : tokens - (long) done;
  }

  private static long remaining(Item anchor, long elapsedNanos) {
    if (!anchor.isModelled()) {
      return anchor.tokens;
    }
    if (elapsedNanos >= anchor.durationNanos) {
      return 0;
    }
    double left = (double) (anchor.durationNanos - elapsedNanos) / anchor.durationNanos;
    return (long) Math.ceil(anchor.tokens * left);
  }

  private void unlink(Item item) {
    if (item.before == null) {
      head = item.behind;
    } else {
      item.before.behind = item.behind;
    }
    if (item.behind == null) {
      tail = item.before;
    } else {
      item.behind.before = item.before;
    }
    item.before = null;
    item.behind = null;
    item.queued = false;
  }
}
