// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.DurableEventLog;
import io.dynamo4j.plane.LogConsumerFacts;
import io.dynamo4j.plane.LogEntry;
import io.dynamo4j.plane.LogFacts;
import io.dynamo4j.plane.LogListener;
import io.dynamo4j.plane.LogSubscription;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Logs that break their contract, each in one way that the harness has to see. */
final class PlantedLogs {

  private PlantedLogs() {}

  /** Says of every 40th entry that it has it, and has not. */
  static DurableEventLog losing(DurableEventLog right) {
    return new Forwarding(right) {
      private int count;

      @Override
      public CompletionStage<Long> append(String messageId, byte[] payload) {
        count++;
        return count % 40 == 0
            ? CompletableFuture.completedFuture(1L)
            : super.append(messageId, payload);
      }
    };
  }

  /** Purges more than it is told to. */
  static DurableEventLog purgingTooMuch(DurableEventLog right) {
    return new Forwarding(right) {
      @Override
      public CompletionStage<Void> purgeThrough(long sequence) {
        return super.purgeThrough(sequence + 10_000);
      }
    };
  }

  /** Purges nothing. */
  static DurableEventLog neverPurging(DurableEventLog right) {
    return new Forwarding(right) {
      @Override
      public CompletionStage<Void> purgeThrough(long sequence) {
        return CompletableFuture.completedFuture(null);
      }
    };
  }

  private static class Forwarding implements DurableEventLog {
    private final DurableEventLog right;

    Forwarding(DurableEventLog right) {
      this.right = right;
    }

    @Override
    public CompletionStage<Long> append(String messageId, byte[] payload) {
      return right.append(messageId, payload);
    }

    @Override
    public LogSubscription consume(
        String consumer, long fromSequence, Scheduler lane, LogListener listener) {
      return right.consume(consumer, fromSequence, lane, listener);
    }

    @Override
    public CompletionStage<LogFacts> facts() {
      return right.facts();
    }

    @Override
    public CompletionStage<Optional<LogEntry>> entryAt(long sequence) {
      return right.entryAt(sequence);
    }

    @Override
    public CompletionStage<List<LogConsumerFacts>> consumers() {
      return right.consumers();
    }

    @Override
    public CompletionStage<Void> deleteConsumer(String consumer) {
      return right.deleteConsumer(consumer);
    }

    @Override
    public CompletionStage<Void> purgeThrough(long sequence) {
      return right.purgeThrough(sequence);
    }

    @Override
    public void close() {
      right.close();
    }
  }
}
