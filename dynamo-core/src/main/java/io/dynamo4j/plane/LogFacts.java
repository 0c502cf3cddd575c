// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import java.time.Duration;
import java.util.Objects;

/**
 * A {@link DurableEventLog} at one moment.
 *
 * @param firstSequence number of the oldest entry left; of the next one if there is none
 * @param lastSequence number of the newest entry ever, 0 before the first
 * @param bytes what the entries take
 * @param nowMillis the log's clock, Unix milliseconds
 * @param retention after which entries leave; zero if they stay
 * @param maxEntries beyond which the log refuses more; {@link #UNLIMITED} if never
 * @param maxBytes beyond which the log refuses more; {@link #UNLIMITED} if never
 * @param maxEntryBytes the longest payload
 * @param dedupeWindow how long the log knows a message id
 */
public record LogFacts(
    long firstSequence,
    long lastSequence,
    long bytes,
    long nowMillis,
    Duration retention,
    long maxEntries,
    long maxBytes,
    int maxEntryBytes,
    Duration dedupeWindow) {

  /** Marks a limit that does not exist. */
  public static final long UNLIMITED = -1;

  public LogFacts {
    Objects.requireNonNull(retention, "retention");
    Objects.requireNonNull(dedupeWindow, "dedupeWindow");
  }

  /** Returns how many entries there are. */
  public long entries() {
    return lastSequence - firstSequence + 1;
  }
}
