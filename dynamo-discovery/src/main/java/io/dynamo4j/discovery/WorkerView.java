// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.discovery;

import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.wire.DiscoveryRecord;
import io.dynamo4j.wire.ModelCard;
import io.dynamo4j.wire.RecordKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Joins endpoints with their model cards to workers, and tells a directory what has changed.
 *
 * <p><b>Threads.</b> The lane of discovery; {@link #withoutCard} from any.
 */
final class WorkerView {
  private final Predicate<EventScope.Endpoint> isLookedFor;
  private final boolean needsCard;
  private final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
  private final TreeMap<String, Worker> known = new TreeMap<>();
  private volatile long[] withoutCard = new long[0];

  WorkerView(Predicate<EventScope.Endpoint> isLookedFor, boolean needsCard) {
    this.isLookedFor = isLookedFor;
    this.needsCard = needsCard;
  }

  InMemoryWorkerDirectory directory() {
    return directory;
  }

  long[] withoutCard() {
    return withoutCard.clone();
  }

  void update(List<DiscoveryRecord.Instance> instances, List<DiscoveryRecord.Model> models) {
    Map<String, Worker> found = join(instances, models);
    for (String key : new ArrayList<>(known.keySet())) {
      if (!found.containsKey(key)) {
        Worker gone = known.remove(key);
        if (gone != null) {
          directory.unregister(gone.instance().instanceId());
        }
      }
    }
    found.forEach(
        (key, worker) -> {
          if (!worker.equals(known.put(key, worker))) {
            directory.register(worker.toInstance());
          }
        });
  }

  private Map<String, Worker> join(
      List<DiscoveryRecord.Instance> instances, List<DiscoveryRecord.Model> models) {
    TreeMap<String, ModelCard> cards = new TreeMap<>();
    for (DiscoveryRecord.Model model : models) {
      cards.put(key(model.endpoint(), model.instanceId()), model.card());
    }
    TreeMap<String, Worker> workers = new TreeMap<>();
    List<DiscoveryRecord.Instance> waiting = new ArrayList<>();
    for (DiscoveryRecord.Instance instance : instances) {
      if (isLookedFor.test(instance.endpoint())) {
        ModelCard card = cards.get(key(instance.endpoint(), instance.instanceId()));
        if (card == null && needsCard) {
          waiting.add(instance);
        } else {
          workers.put(Long.toHexString(instance.instanceId()), new Worker(instance, card));
        }
      }
    }
    withoutCard = waiting.stream().mapToLong(DiscoveryRecord.Instance::instanceId).toArray();
    return workers;
  }

  private static String key(EventScope.Endpoint endpoint, long instanceId) {
    return RecordKeys.instance(endpoint, instanceId);
  }

  /** What a worker's two records say, or the only one of an endpoint without a model. */
  private record Worker(DiscoveryRecord.Instance instance, @Nullable ModelCard card) {
    WorkerInstance toInstance() {
      WorkerInstance.Builder builder =
          WorkerInstance.builder(instance.instanceId(), instance.address());
      if (card == null) {
        return builder.build();
      }
      return builder
          .incarnation(card.incarnation())
          .dpRanks(card.dpStart(), card.dpSize())
          .kvBlockSize(card.kvBlockSize())
          .totalKvBlocks(card.totalKvBlocks())
          .maxBatchedTokens(card.maxBatchedTokens())
          .build();
    }
  }
}
