// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.kvrouter.KvRouter;
import io.dynamo4j.kvrouter.LeaseConfig;
import io.dynamo4j.kvrouter.RequestLease;
import io.dynamo4j.kvrouter.SchedulingRequest;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryEventChannels;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.blocking.server.NatsServerProcess;
import io.dynamo4j.transport.zmq.ZmqBrokers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Two routers that tell each other over NATS what they have booked. */
class NatsReplicaSyncTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int BLOCK_SIZE = 16;

  private final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();

  @Test
  void shouldAgreeOnLoadAlsoAfterEventsWereLost() throws Exception {
    NatsServers.requireInstalled();
    for (long id = 1; id <= 3; id++) {
      directory.register(WorkerInstance.builder(id, new Address("memory", "w" + id)).build());
    }
    try (NatsServerProcess server = NatsServerProcess.start();
        Router one = new Router(server);
        Router two = new Router(server)) {
      Awaitility.await().atMost(PATIENCE).until(() -> one.peers() == 1 && two.peers() == 1);
      List<RequestLease> leases = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        leases.add(one.book("before-" + i));
      }
      awaitEqual(one, two, 4);

      // What is booked and given back meanwhile the other does not hear.
      two.events.lose(true);
      leases.remove(0).close();
      for (int i = 0; i < 3; i++) {
        leases.add(one.book("lost-" + i));
      }
      Awaitility.await().atMost(PATIENCE).until(() -> two.events.lost() > 3);
      two.events.lose(false);
      awaitEqual(one, two, 6);

      leases.add(two.book("other-way"));
      awaitEqual(two, one, 7);
      leases.forEach(RequestLease::close);
      awaitEqual(one, two, 0);
    }
  }

  private static void awaitEqual(Router one, Router two, int requests) {
    Awaitility.await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(two.requests()).isEqualTo(one.requests());
              assertThat(one.requests().values().stream().mapToInt(Integer::intValue).sum())
                  .isEqualTo(requests);
            });
  }

  /** A router with threads and planes of its own. */
  private final class Router implements AutoCloseable {
    private final MatrixPlanes planes;
    private final LossyEvents events;
    private final KvIndexer indexer;
    private final KvRouter router;

    Router(NatsServerProcess server) {
      planes =
          new MatrixPlanes(
              MatrixPlanes.Events.NATS,
              MatrixPlanes.Requests.NATS,
              new MatrixPlanes.Shared(
                  server.url(),
                  ZmqBrokers.of(List.of("tcp://127.0.0.1:1"), List.of("tcp://127.0.0.1:1")),
                  InMemoryEventChannels.create()));
      events = new LossyEvents(planes.events());
      indexer = KvIndexer.builder().environment(planes.environment()).blockSize(BLOCK_SIZE).build();
      router =
          KvRouter.builder()
              .environment(planes.environment())
              .directory(directory)
              .indexer(indexer)
              .replicaSync(events, KvFollower.GENERATE)
              .leases(
                  LeaseConfig.builder()
                      .routerLease(Duration.ofSeconds(6))
                      .eventsPerMessage(1)
                      .build())
              .build();
    }

    RequestLease book(String id) {
      int[] prompt = new int[4 * BLOCK_SIZE];
      for (int i = 0; i < prompt.length; i++) {
        prompt[i] = 300 + (id.hashCode() + i * 7 & 0x1ff);
      }
      return router.trySelect(SchedulingRequest.builder(id, TokenSlice.wrap(prompt)).build());
    }

    int peers() {
      return router.replicaSync().routers();
    }

    SortedMap<Long, Integer> requests() {
      SortedMap<Long, Integer> requests = new TreeMap<>();
      for (WorkerInstance worker : directory.instances()) {
        requests.put(worker.workerId(), router.load(worker.rank(0)).requests());
      }
      return requests;
    }

    @Override
    public void close() {
      router.close();
      indexer.close();
      planes.close();
    }
  }
}
