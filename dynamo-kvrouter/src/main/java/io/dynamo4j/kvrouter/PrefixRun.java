// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A run of blocks that the same bookings hold: a node of {@link ActivePrefixes}.
 *
 * <p>Its hashes are read from the array of a booking that goes through it, at the places from
 * {@code from} to before {@code to} of the prompt; nothing is copied.
 *
 * <p><b>Threads.</b> Of its tree.
 */
final class PrefixRun {
  private static final long[] NO_HASHES = {};

  final RankCounts ranks = new RankCounts();
  long[] hashes = NO_HASHES;
  int from;
  int to;
  @Nullable PrefixRun parent;
  @Nullable PrefixRun firstChild;
  @Nullable PrefixRun previousSibling;
  @Nullable PrefixRun nextSibling;

  /** The first of the bookings whose prompt ends here. */
  @Nullable TrackedBooking firstEnd;

  /** Of the table of runs, or of the runs to be used again. */
  @Nullable PrefixRun nextInBucket;

  int length() {
    return to - from;
  }

  /** Returns the hash by which its parent finds it. */
  long firstHash() {
    return hashes[from];
  }

  /** Returns where a prompt that has this run's first hash leaves it, at most its end. */
  int matchedTo(long[] prompt, int count) {
    int end = Math.min(to, count);
    int differs = Arrays.mismatch(hashes, from, end, prompt, from, end);
    return differs < 0 ? end : from + differs;
  }

  /** Returns whether it could be one run with its only child. */
  boolean isOneWithItsChild() {
    PrefixRun child = firstChild;
    return child != null
        && child.nextSibling == null
        && firstEnd == null
        && parent != null
        && ranks.weighsAs(child.ranks);
  }

  /** Returns an array that has this run's hashes and belongs to a booking that still lives. */
  long[] livingHashes() {
    if (firstChild != null) {
      return firstChild.hashes;
    }
    return firstEnd == null ? NO_HASHES : firstEnd.booking.sequenceHashes();
  }

  void addChild(PrefixRun child) {
    child.parent = this;
    child.previousSibling = null;
    child.nextSibling = firstChild;
    if (firstChild != null) {
      firstChild.previousSibling = child;
    }
    firstChild = child;
  }

  void removeChild(PrefixRun child) {
    if (child.previousSibling == null) {
      firstChild = child.nextSibling;
    } else {
      child.previousSibling.nextSibling = child.nextSibling;
    }
    if (child.nextSibling != null) {
      child.nextSibling.previousSibling = child.previousSibling;
    }
    child.parent = null;
  }

  void addEnd(TrackedBooking booking) {
    booking.run = this;
    booking.nextEnd = firstEnd;
    if (firstEnd != null) {
      firstEnd.previousEnd = booking;
    }
    firstEnd = booking;
  }

  void removeEnd(TrackedBooking booking) {
    if (booking.previousEnd == null) {
      firstEnd = booking.nextEnd;
    } else {
      booking.previousEnd.nextEnd = booking.nextEnd;
    }
    if (booking.nextEnd != null) {
      booking.nextEnd.previousEnd = booking.previousEnd;
    }
    booking.run = null;
    booking.previousEnd = null;
    booking.nextEnd = null;
  }

  /** Forgets everything. */
  void clear() {
    ranks.clear();
    hashes = NO_HASHES;
    from = 0;
    to = 0;
    parent = null;
    firstChild = null;
    previousSibling = null;
    nextSibling = null;
    firstEnd = null;
  }
}
