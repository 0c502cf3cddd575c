// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.EventChannel;
import io.dynamo4j.plane.EventScope;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What processes of a fleet write about themselves. */
public sealed interface DiscoveryRecord
    permits DiscoveryRecord.Instance,
        DiscoveryRecord.Model,
        DiscoveryRecord.Channel,
        DiscoveryRecord.Source {

  /**
   * An endpoint of one process and how requests reach it.
   *
   * @param instanceId unsigned 64-bit pattern
   */
  record Instance(EventScope.Endpoint endpoint, long instanceId, Address address)
      implements DiscoveryRecord {
    public Instance {
      Objects.requireNonNull(endpoint, "endpoint");
      Objects.requireNonNull(address, "address");
    }
  }

  /**
   * The model that an instance serves.
   *
   * @param instanceId unsigned 64-bit pattern
   */
  record Model(EventScope.Endpoint endpoint, long instanceId, ModelCard card)
      implements DiscoveryRecord {
    public Model {
      Objects.requireNonNull(endpoint, "endpoint");
      Objects.requireNonNull(card, "card");
    }
  }

  /** Where a publisher of events is reached. */
  record Channel(EventChannel channel) implements DiscoveryRecord {
    public Channel {
      Objects.requireNonNull(channel, "channel");
    }
  }

  /**
   * Whose events a publisher of {@code kv-events} publishes, and who answers for what was missed.
   *
   * @param publisherId unsigned 64-bit pattern
   * @param recovery the endpoint that answers recovery queries, or null if the record names none
   */
  record Source(
      EventScope scope,
      String topic,
      long publisherId,
      WorkerWithDpRank worker,
      @Nullable Instance recovery)
      implements DiscoveryRecord {
    public Source {
      Objects.requireNonNull(scope, "scope");
      Objects.requireNonNull(topic, "topic");
      Objects.requireNonNull(worker, "worker");
    }
  }
}
