// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.EventEnvelope;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * One run of one publisher: a restart is another object, so that what belonged to the run before is
 * told apart by identity. Belongs to the feed's lane.
 */
final class EventSource {
  private static final int REMEMBERED = 32;
  private static final int RECENT = 1024;

  /** How an envelope continues the sequence. */
  enum Continuation {
    NEXT,
    /** One that was missing until now. */
    OVERTAKEN,
    REPEATED,
    RESTARTED
  }

  /** The ranks that this run writes for. */
  final Set<WorkerWithDpRank> ranks = new LinkedHashSet<>();

  /** The publisher, unsigned. */
  final long publisherId;

  /** Whether this run began where another of the publisher had been heard, in the same life. */
  final boolean isRestart;

  private final long[] digests = new long[REMEMBERED];
  private final BitSet received = new BitSet(RECENT);
  private boolean hasBegun;
  private long firstSequence;
  private long nextSequence;
  private long lastHeardNanos;

  EventSource(long publisherId, boolean isRestart) {
    this.publisherId = publisherId;
    this.isRestart = isRestart;
  }

  /** Says how an envelope continues this run; changes nothing. */
  Continuation continuationBy(EventEnvelope envelope) {
    long sequence = envelope.sequence();
    if (Long.compareUnsigned(sequence, nextSequence) >= 0) {
      return Continuation.NEXT;
    }
    long back = nextSequence - sequence;
    if (Long.compareUnsigned(back, RECENT) <= 0
        && Long.compareUnsigned(sequence, firstSequence) > 0
        && !received.get(recentSlot(sequence))) {
      return Continuation.OVERTAKEN;
    }
    boolean isRemembered = Long.compareUnsigned(back, REMEMBERED) <= 0;
    return isRemembered && digests[slot(envelope)] == digest(envelope)
        ? Continuation.REPEATED
        : Continuation.RESTARTED;
  }

  /** Moves past an envelope and returns how many were missing before it, unsigned. */
  long advance(EventEnvelope envelope, long nowNanos) {
    long sequence = envelope.sequence();
    long missed = sequence - nextSequence;
    if (!hasBegun) {
      hasBegun = true;
      firstSequence = sequence;
    }
    forget(missed);
    nextSequence = sequence + 1;
    note(envelope, nowNanos);
    return missed;
  }

  /** Notes an envelope that others have overtaken. */
  void note(EventEnvelope envelope, long nowNanos) {
    lastHeardNanos = nowNanos;
    received.set(recentSlot(envelope.sequence()));
    digests[slot(envelope)] = digest(envelope);
  }

  /** Clears the slots of the envelopes that are missing. */
  private void forget(long missed) {
    if (Long.compareUnsigned(missed, RECENT) >= 0) {
      received.clear();
      return;
    }
    for (long sequence = nextSequence; sequence != nextSequence + missed; sequence++) {
      received.clear(recentSlot(sequence));
    }
  }

  /** Returns whether nothing has come after that moment. */
  boolean isSilentSince(long nanos) {
    return lastHeardNanos - nanos <= 0;
  }

  private static int recentSlot(long sequence) {
    return (int) sequence & (RECENT - 1);
  }

  private static int slot(EventEnvelope envelope) {
    return (int) envelope.sequence() & (REMEMBERED - 1);
  }

  private static long digest(EventEnvelope envelope) {
    CRC32C crc = new CRC32C();
    crc.update(envelope.payload());
    return crc.getValue() << 32 | envelope.payload().length;
  }
}
