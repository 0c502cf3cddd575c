// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.core.collect.LongObjectMap;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.indexer.DurableSources;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import io.dynamo4j.wire.RouterEventCodec;
import io.dynamo4j.wire.WireFormatException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Which ranks publish on an event plane; each publisher's events are read once. One lane. */
final class LivePublishers implements AutoCloseable {
  private final LongObjectMap<WorkerWithDpRank> publishers;
  private final Consumer<WorkerWithDpRank> seen;
  private final EventSubscription subscription;

  LivePublishers(
      EventPlane plane,
      EventScope scope,
      Scheduler lane,
      long seed,
      Consumer<WorkerWithDpRank> seen) {
    this.publishers = LongObjectMap.create(seed);
    this.seen = seen;
    this.subscription = plane.subscribe(scope, KvEventFeed.TOPIC, lane, this::live);
  }

  private void live(EventEnvelope envelope) {
    WorkerWithDpRank rank = publishers.get(envelope.publisherId());
    if (rank == null) {
      rank = rankOf(envelope);
      if (rank == null || publishers.size() == DurableSources.MAX_RANKS) {
        return;
      }
      publishers.put(envelope.publisherId(), rank);
    }
    seen.accept(rank);
  }

  private static @Nullable WorkerWithDpRank rankOf(EventEnvelope envelope) {
    try {
      var events = RouterEventCodec.decode(envelope.payload()).events();
      return events.isEmpty() ? null : events.get(0).worker();
    } catch (WireFormatException foreign) {
      return null;
    }
  }

  @Override
  public void close() {
    subscription.close();
  }
}
