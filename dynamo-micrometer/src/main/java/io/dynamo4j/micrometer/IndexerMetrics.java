// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.micrometer;

import io.dynamo4j.indexer.EventOutcome;
import io.dynamo4j.indexer.FeedCounter;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.remote.RemoteIndex;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.util.Locale;

/**
 * An index, the feed that fills it and its recovery as meters.
 *
 * <p>Everything is read when the registry is; nothing is counted twice and nothing costs a request.
 * The registry holds what it reads weakly.
 *
 * <p><b>Threads.</b> Any.
 */
public final class IndexerMetrics {
  private static final String INDEX = "dynamo4j.indexer.";
  private static final String FEED = "dynamo4j.feed.";

  private IndexerMetrics() {}

  /** Shows what an index holds and what became of its events. */
  public static void bind(MeterRegistry registry, KvIndexer indexer, Tag... tags) {
    Tags all = Tags.of(tags);
    for (EventOutcome outcome : EventOutcome.values()) {
      FunctionCounter.builder(INDEX + "events", indexer, i -> i.status().events(outcome))
          .description("Events by what became of them")
          .tags(all.and("outcome", name(outcome)))
          .register(registry);
    }
    Gauge.builder(INDEX + "blocks", indexer, i -> i.status().blocks()).tags(all).register(registry);
    Gauge.builder(INDEX + "lower.tier.blocks", indexer, i -> i.status().lowerTierBlocks())
        .tags(all)
        .register(registry);
    Gauge.builder(INDEX + "pending.updates", indexer, i -> i.status().pendingUpdates())
        .tags(all)
        .register(registry);
    Gauge.builder(INDEX + "stale.ranks", indexer, i -> i.status().staleRanks())
        .tags(all)
        .register(registry);
  }

  /** Shows what came from the event plane, and how recovery stands. */
  public static void bind(MeterRegistry registry, KvEventFeed feed, Tag... tags) {
    Tags all = Tags.of(tags);
    for (FeedCounter counter : FeedCounter.values()) {
      FunctionCounter.builder(
              FEED + name(counter).replace('_', '.'), feed, f -> f.status().count(counter))
          .tags(all)
          .register(registry);
    }
    FunctionCounter.builder(FEED + "overrun.envelopes", feed, f -> f.status().overrunEnvelopes())
        .description("Envelopes that the plane dropped because the feed was too slow")
        .tags(all)
        .register(registry);
    Gauge.builder(FEED + "held.events", feed, f -> f.status().heldEvents())
        .tags(all)
        .register(registry);
    Gauge.builder(FEED + "conflicts", feed, f -> f.status().conflicts().size())
        .description("Ranks for which two publishers write")
        .tags(all)
        .register(registry);
    Gauge.builder(FEED + "sources", feed, f -> f.progress().total()).tags(all).register(registry);
    Gauge.builder(FEED + "sources.known", feed, f -> f.progress().done())
        .description("Sources of which everything is known")
        .tags(all)
        .register(registry);
    Gauge.builder(FEED + "sources.failed", feed, f -> f.progress().failed())
        .description("Sources that do not answer")
        .tags(all)
        .register(registry);
    FunctionCounter.builder(FEED + "restored.blocks", feed, f -> f.progress().restoredBlocks())
        .tags(all)
        .register(registry);
  }

  /** Shows questions to an index elsewhere that failed, under Dynamo's name. */
  public static void bind(MeterRegistry registry, RemoteIndex remote, long routerId, Tag... tags) {
    FunctionCounter.builder(
            "dynamo.component.router.remote.indexer.query.failures", remote, RemoteIndex::failures)
        .tags(Tags.of(tags).and("router_id", Long.toUnsignedString(routerId)))
        .register(registry);
  }

  private static String name(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
