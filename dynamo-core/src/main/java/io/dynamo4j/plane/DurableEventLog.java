// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import io.dynamo4j.core.runtime.Scheduler;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * One ordered log of messages that outlives those who write and read it. Entries are numbered from
 * 1 without holes; the oldest leave by {@link #purgeThrough} or by age, the rest stays.
 *
 * <p>Every stage fails with {@link DurableLogException}, whose reason says whether another attempt
 * can help. A stage completes on a thread of the log's choice: whoever continues goes on to a lane.
 *
 * <p><b>Threads.</b> Any; nothing here waits.
 */
public interface DurableEventLog extends AutoCloseable {

  /**
   * Writes one entry. Entries of one caller that waits for each stage are in the order of calls.
   *
   * @param messageId names the entry; of the same id within {@link LogFacts#dedupeWindow} only the
   *     first is kept, so an attempt whose answer was lost may be repeated
   * @param payload neither copied nor written to again
   * @return the entry's number once the log holds it for good; for a repetition, the first's
   */
  CompletionStage<Long> append(String messageId, byte[] payload);

  /**
   * Reads in order, from an entry on, under a name that the log remembers: what the reader has not
   * acknowledged is not to be purged. Of a name there is one reader at a time.
   *
   * @param consumer the reader's name: letters, digits, hyphens, underscores
   * @param fromSequence the first entry wanted if the name is new; 1 for the oldest that is left. A
   *     known name goes on behind what it has acknowledged
   * @param lane where {@code listener} is called
   */
  LogSubscription consume(String consumer, long fromSequence, Scheduler lane, LogListener listener);

  /** Returns what the log holds and its limits. */
  CompletionStage<LogFacts> facts();

  /** Returns one entry, empty if it is gone or has yet to come; no reader moves for it. */
  CompletionStage<Optional<LogEntry>> entryAt(long sequence);

  /** Returns the readers that the log remembers, by name. */
  CompletionStage<List<LogConsumerFacts>> consumers();

  /** Forgets a reader; completes also if there is none of that name. */
  CompletionStage<Void> deleteConsumer(String consumer);

  /**
   * Drops the entries up to this one, whoever still wants them; numbers go on as before, and
   * readers keep their places.
   */
  CompletionStage<Void> purgeThrough(long sequence);

  /** Ends subscriptions and what is under way; what was written stays. Idempotent. */
  @Override
  void close();
}
