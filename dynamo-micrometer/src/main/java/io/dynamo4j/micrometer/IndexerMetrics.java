// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.micrometer;

import io.dynamo4j.indexer.EventOutcome;
import io.dynamo4j.indexer.FeedCounter;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.engine.EngineEventNormalizer;
import io.dynamo4j.indexer.engine.EngineEventReject;
import io.dynamo4j.indexer.remote.IndexService;
import io.dynamo4j.indexer.remote.RemoteIndex;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;

/**
 * An index, what fills it and its recovery as meters.
 *
 * <p>Everything is read when the registry is; nothing is counted twice and nothing costs a request.
 * The registry holds what it reads weakly.
 *
 * <p><b>Threads.</b> Any.
 */
public final class IndexerMetrics {

  private IndexerMetrics() {}

  /** Shows what an index holds and what became of its events. */
  public static void bind(MeterRegistry registry, KvIndexer indexer, Tag... tags) {
    Meters<KvIndexer> meters = Meters.of(registry, "dynamo4j.indexer.", indexer, Tags.of(tags));
    for (EventOutcome outcome : EventOutcome.values()) {
      meters.and("outcome", Meters.label(outcome)).count("events", i -> i.status().events(outcome));
    }
    meters
        .gauge("blocks", i -> i.status().blocks())
        .gauge("lower.tier.blocks", i -> i.status().lowerTierBlocks())
        .gauge("pending.updates", i -> i.status().pendingUpdates())
        .gauge("stale.ranks", i -> i.status().staleRanks());
  }

  /** Shows what came from the event plane, and how recovery stands. */
  public static void bind(MeterRegistry registry, KvEventFeed feed, Tag... tags) {
    Meters<KvEventFeed> meters = Meters.of(registry, "dynamo4j.feed.", feed, Tags.of(tags));
    for (FeedCounter counter : FeedCounter.values()) {
      meters.count(Meters.dotted(counter), f -> f.status().count(counter));
    }
    meters
        .count("overrun.envelopes", f -> f.status().overrunEnvelopes())
        .gauge("held.events", f -> f.status().heldEvents())
        .gauge("conflicts", f -> f.status().conflicts().size())
        .gauge("sources", f -> f.progress().total())
        .gauge("sources.known", f -> f.progress().done())
        .gauge("sources.failed", f -> f.progress().failed())
        .count("restored.blocks", f -> f.progress().restoredBlocks());
  }

  /**
   * Shows what became of one engine's own events.
   *
   * @param normalizer read on the registry's threads as well as on its own
   */
  public static void bind(
      MeterRegistry registry, EngineEventNormalizer normalizer, long workerId, Tag... tags) {
    Meters<EngineEventNormalizer> meters =
        Meters.of(registry, "dynamo4j.engine.", normalizer, Tags.of(tags))
            .and("worker_id", Long.toUnsignedString(workerId));
    meters
        .count("messages", n -> n.status().messages())
        .count("unreadable.messages", n -> n.status().unreadableMessages())
        .count("accepted.events", n -> n.status().acceptedEvents())
        .count("stored.blocks", n -> n.status().storedBlocks())
        .count("removed.blocks", n -> n.status().removedBlocks())
        .count("partial.blocks", n -> n.status().partialBlocks());
    for (EngineEventReject reason : EngineEventReject.values()) {
      meters
          .and("reason", reason.label())
          .count("rejected.events", n -> n.status().rejected(reason));
    }
  }

  /**
   * Shows what an index elsewhere was asked and told; failures under Dynamo's names.
   *
   * @param routerId what tells the asking router from others, unsigned
   */
  public static void bind(MeterRegistry registry, RemoteIndex remote, long routerId, Tag... tags) {
    Meters.of(registry, "dynamo.component.router.remote.indexer.", remote, Tags.of(tags))
        .and("router_id", Long.toUnsignedString(routerId))
        .count("query.failures", RemoteIndex::failures)
        .count("write.failures", RemoteIndex::recordFailures)
        .under("dynamo4j.remote.index.")
        .count("queries", RemoteIndex::queries)
        .count("retries", RemoteIndex::retries)
        .count("recorded.decisions", RemoteIndex::recordedDecisions);
  }

  /** Shows what other routers asked the index that is served to them. */
  public static void bind(MeterRegistry registry, IndexService service, Tag... tags) {
    Meters.of(registry, "dynamo4j.served.index.", service, Tags.of(tags))
        .count("answered.queries", IndexService::answeredQueries)
        .count("refused.queries", IndexService::refusedQueries)
        .count("recorded.decisions", IndexService::recordedDecisions);
  }
}
