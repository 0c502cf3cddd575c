// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.index;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.RecoveryConfig;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.wire.RecoveryResponse;
import io.dynamo4j.wire.RouterEventBatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Mistakes of recovery, each made at one public seam by standing before it. */
enum PlantedRecoveryBug implements IndexSeams {
  /** Nobody is ever asked: a gap is applied over. */
  NO_RECOVERY {
    @Override
    public RequestPlane<byte[], byte[]> recovery(RequestPlane<byte[], byte[]> plane) {
      return new AlteringRecovery(
          plane, (target, answer) -> new RecoveryResponse.Failed("planted"));
    }
  },
  /** A failed recovery is final while nothing new comes. */
  FAILURE_IS_FINAL {
    @Override
    public RecoveryConfig config(RecoveryConfig config) {
      return RecoveryConfig.builder()
          .maxAttempts(1)
          .attemptTimeout(Duration.ofMillis(700))
          .retryInterval(Duration.ofDays(1))
          .build();
    }
  },
  /** The loss of last events is looked for by nobody. */
  LOST_TAILS_IGNORED {
    @Override
    public EventPlane events(EventPlane plane) {
      return new WithoutHeads(plane);
    }

    @Override
    public RecoveryConfig config(RecoveryConfig config) {
      return RecoveryConfig.builder().checkInterval(Duration.ofDays(1)).build();
    }
  },
  /** A dump is taken for a list of stores; removals behind the snapshot are dropped. */
  DUMP_WITHOUT_ITS_REMOVALS {
    @Override
    public RequestPlane<byte[], byte[]> recovery(RequestPlane<byte[], byte[]> plane) {
      return dumps(
          plane,
          events ->
              events.stream()
                  .filter(event -> event.event().data() instanceof KvCacheEventData.Stored)
                  .toList());
    }
  },
  /** The snapshot's stores are applied in another order than they were listed. */
  DUMP_OUT_OF_ORDER {
    @Override
    public RequestPlane<byte[], byte[]> recovery(RequestPlane<byte[], byte[]> plane) {
      return dumps(
          plane,
          events -> {
            List<RouterEvent> reversed = new ArrayList<>(events);
            Collections.reverse(reversed);
            return reversed;
          });
    }
  },
  /** Half a dump is taken for a whole one. */
  DUMP_CUT_SHORT {
    @Override
    public RequestPlane<byte[], byte[]> recovery(RequestPlane<byte[], byte[]> plane) {
      return dumps(plane, events -> events.subList(0, events.size() / 2));
    }
  },
  /** A dump is added to what was there. */
  OLD_STATE_KEPT_UNDER_A_DUMP {
    @Override
    public KvIndexer indexer(KvIndexer indexer) {
      return new RelayIndexer(indexer) {
        @Override
        public void removeWorkerDpRank(WorkerWithDpRank worker) {}
      };
    }
  },
  /** Blocks of a worker that is gone stay. */
  DEAD_WORKERS_BLOCKS_KEPT {
    @Override
    public KvIndexer indexer(KvIndexer indexer) {
      return new RelayIndexer(indexer) {
        @Override
        public void removeWorker(long workerId) {}
      };
    }
  },
  /** What one life answered is believed of the next. */
  SNAPSHOT_OF_THE_OLD_LIFE {
    @Override
    public RequestPlane<byte[], byte[]> recovery(RequestPlane<byte[], byte[]> plane) {
      Map<String, RecoveryResponse> first = new TreeMap<>();
      return new AlteringRecovery(
          plane,
          (target, answer) -> {
            String rank = target.workerId() + "/" + target.dpStart();
            if (answer instanceof RecoveryResponse.TreeDump dump
                && !dump.events().events().isEmpty()) {
              first.putIfAbsent(rank, answer);
            }
            return answer instanceof RecoveryResponse.TreeDump
                ? first.getOrDefault(rank, answer)
                : answer;
          });
    }
  },
  /** The last event before a dump arrives once more behind it. */
  STALE_EVENT_AFTER_A_DUMP {
    @Override
    public KvIndexer indexer(KvIndexer indexer) {
      return new RelayIndexer(indexer) {
        private final Map<WorkerWithDpRank, RouterEvent> before = new TreeMap<>();
        private final Map<WorkerWithDpRank, RouterEvent> stale = new TreeMap<>();

        @Override
        public void removeWorkerDpRank(WorkerWithDpRank worker) {
          super.removeWorkerDpRank(worker);
          RouterEvent last = before.get(worker);
          if (last != null) {
            stale.put(worker, last);
          }
        }

        @Override
        public boolean submit(RouterEvent event) {
          RouterEvent late = stale.remove(event.worker());
          before.put(event.worker(), event);
          boolean taken = super.submit(event);
          return late == null ? taken : super.submit(late) && taken;
        }
      };
    }
  },
  /** The cursor moves one past what the answer covers. */
  CURSOR_PAST_THE_ANSWER {
    @Override
    public RequestPlane<byte[], byte[]> recovery(RequestPlane<byte[], byte[]> plane) {
      return new AlteringRecovery(
          plane,
          (target, answer) ->
              answer instanceof RecoveryResponse.TreeDump dump && dump.parts() == 1
                  ? new RecoveryResponse.TreeDump(dump.events(), dump.lastEventId() + 1)
                  : answer);
    }
  };

  private static RequestPlane<byte[], byte[]> dumps(
      RequestPlane<byte[], byte[]> plane, UnaryOperator<List<RouterEvent>> change) {
    return new AlteringRecovery(
        plane,
        (target, answer) ->
            answer instanceof RecoveryResponse.TreeDump dump
                ? new RecoveryResponse.TreeDump(
                    RouterEventBatch.of(change.apply(dump.events().events())),
                    dump.lastEventId(),
                    dump.parts())
                : answer);
  }

  /** A plane on which announcements are not heard. */
  private record WithoutHeads(EventPlane plane) implements EventPlane {

    @Override
    public EventPublisher publisher(EventScope scope, String topic, long publisherId) {
      return plane.publisher(scope, topic, publisherId);
    }

    @Override
    public EventSubscription subscribe(
        EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler) {
      boolean isDeaf = topic.equals(KvEventFeed.HEADS_TOPIC);
      return plane.subscribe(scope, topic, lane, isDeaf ? envelope -> {} : handler);
    }

    @Override
    public void close() {
      plane.close();
    }
  }
}
