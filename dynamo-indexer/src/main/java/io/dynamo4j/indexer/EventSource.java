// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.EventEnvelope;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * One run of one publisher: a restart is another object, so that what belonged to the run before is
 * told apart by identity. Belongs to the feed's lane.
 */
final class EventSource {
  private static final int REMEMBERED = 8;

  /** How an envelope continues the sequence. */
  enum Continuation {
    NEXT,
    REPEATED,
    RESTARTED
  }

  /** The ranks that this run writes for. */
  final Set<WorkerWithDpRank> ranks = new LinkedHashSet<>();

  private final long[] digests = new long[REMEMBERED];
  private long nextSequence;
  private long lastHeardNanos;

  /** Says how an envelope continues this run; changes nothing. */
  Continuation continuationBy(EventEnvelope envelope) {
    long back = nextSequence - envelope.sequence();
    if (Long.compareUnsigned(envelope.sequence(), nextSequence) >= 0) {
      return Continuation.NEXT;
    }
    boolean isRemembered = Long.compareUnsigned(back, REMEMBERED) <= 0;
    return isRemembered && digests[slot(envelope)] == digest(envelope)
        ? Continuation.REPEATED
        : Continuation.RESTARTED;
  }

  /** Moves past an envelope and returns how many were missing before it, unsigned. */
  long advance(EventEnvelope envelope, long nowNanos) {
    long missed = envelope.sequence() - nextSequence;
    nextSequence = envelope.sequence() + 1;
    lastHeardNanos = nowNanos;
    digests[slot(envelope)] = digest(envelope);
    return missed;
  }

  /** Returns whether nothing has come after that moment. */
  boolean isSilentSince(long nanos) {
    return lastHeardNanos - nanos <= 0;
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
