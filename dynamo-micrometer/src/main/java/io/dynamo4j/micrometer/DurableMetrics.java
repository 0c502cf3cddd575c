// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.micrometer;

import io.dynamo4j.indexer.durable.DurableFeedCounter;
import io.dynamo4j.indexer.durable.DurableFeedState;
import io.dynamo4j.indexer.durable.DurableKvBridge;
import io.dynamo4j.indexer.durable.DurableKvFeed;
import io.dynamo4j.indexer.durable.DurableKvPublisher;
import io.dynamo4j.indexer.durable.DurableWriterCounter;
import io.dynamo4j.indexer.durable.DurableWriterStatus;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.util.function.Function;

/**
 * Readers and writers of a durable log as meters, read when the registry is, which holds them
 * weakly.
 *
 * <p><b>Threads.</b> Any.
 */
public final class DurableMetrics {

  private DurableMetrics() {}

  /** Shows what a reader read, applied and could not use, and its snapshots. */
  public static void bind(MeterRegistry registry, DurableKvFeed feed, Tag... tags) {
    Meters<DurableKvFeed> meters =
        Meters.of(registry, "dynamo4j.durable.feed.", feed, Tags.of(tags));
    for (DurableFeedCounter counter : DurableFeedCounter.values()) {
      meters.count(Meters.dotted(counter), f -> f.status().count(counter));
    }
    for (DurableFeedState state : DurableFeedState.values()) {
      meters
          .and("state", Meters.label(state))
          .gauge("state", f -> f.status().state() == state ? 1 : 0);
    }
    meters
        .gauge("applied.sequence", f -> f.status().appliedSequence())
        .gauge("covered.sequence", f -> f.status().coveredSequence())
        .gauge("incomplete.ranks", f -> f.status().incompleteRanks())
        .gauge("whole", f -> f.status().isWhole() ? 1 : 0);
  }

  /** Shows what a worker writes. */
  public static void bind(MeterRegistry registry, DurableKvPublisher publisher, Tag... tags) {
    bind(registry, publisher, DurableKvPublisher::status, Tags.of(tags));
  }

  /** Shows what a bridge writes. */
  public static void bind(MeterRegistry registry, DurableKvBridge bridge, Tag... tags) {
    bind(registry, bridge, DurableKvBridge::writerStatus, Tags.of(tags));
  }

  private static <T> void bind(
      MeterRegistry registry, T writer, Function<T, DurableWriterStatus> status, Tags tags) {
    Meters<T> meters = Meters.of(registry, "dynamo4j.durable.writer.", writer, tags);
    for (DurableWriterCounter counter : DurableWriterCounter.values()) {
      meters.count(Meters.dotted(counter), w -> status.apply(w).count(counter));
    }
    meters
        .gauge("waiting.events", w -> status.apply(w).waitingEvents())
        .gauge("failing", w -> status.apply(w).lastFailure() == null ? 0 : 1);
  }
}
