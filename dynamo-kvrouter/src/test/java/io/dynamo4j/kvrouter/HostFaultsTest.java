// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Parts of a host's that throw, checked and unchecked exceptions and errors alike: whoever asked is
 * told, nothing stays booked, and the next request goes its way.
 */
class HostFaultsTest {
  private final Simulation simulation = Simulation.builder().seed(1).build();
  private final FaultyDirectory directory = new FaultyDirectory();
  private final Map<String, RequestLease> leases = new LinkedHashMap<>();
  private final Map<String, Throwable> failures = new LinkedHashMap<>();
  private @Nullable Throwable planted;

  static List<Throwable> throwables() {
    return List.of(
        new IllegalStateException("unchecked"),
        new Exception("checked, as other languages throw them"),
        new AssertionError("error"),
        new StackOverflowError());
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void sneak(Throwable thrown) throws T {
    throw (T) thrown;
  }

  private void faulty() {
    if (planted != null) {
      HostFaultsTest.<RuntimeException>sneak(planted);
    }
  }

  /** Names workers until it fails. */
  private final class FaultyDirectory implements WorkerDirectory {
    private final InMemoryWorkerDirectory workers = InMemoryWorkerDirectory.create();

    @Override
    public List<WorkerInstance> instances() {
      faulty();
      return workers.instances();
    }

    @Override
    public Subscription watch(Scheduler lane, Listener listener) {
      return workers.watch(lane, listener);
    }
  }

  HostFaultsTest() {
    directory.workers.register(RouterFixture.instance(1).build());
  }

  private KvRouterBuilder builder() {
    return KvRouter.builder()
        .environment(simulation.environment("router"))
        .directory(directory)
        .indexer(new FakeIndexer(RouterFixture.BLOCK));
  }

  private static QueueConfig oneAtATime() {
    return QueueConfig.builder()
        .policyClass(PolicyClass.builder("default").prefillBusyThreshold(0).build())
        .build();
  }

  private void ask(KvRouter router, String id) {
    router
        .select(request(id, tokens(id.hashCode() & 0xffff, 8)))
        .whenComplete(
            (lease, failure) -> {
              if (failure == null) {
                leases.put(id, lease);
              } else {
                failures.put(
                    id,
                    failure instanceof CompletionException && failure.getCause() != null
                        ? failure.getCause()
                        : failure);
              }
            });
    simulation.runFor(1_000);
  }

  private RequestLease lease(String id) {
    return Objects.requireNonNull(leases.get(id), id);
  }

  @AfterEach
  void healed() {
    planted = null;
  }

  /* --------------- In the queue --------------- */

  @ParameterizedTest
  @MethodSource("throwables")
  void shouldTellWhoWaitsThatTheDirectoryThrewAndServeTheNext(Throwable thrown) {
    try (KvRouter router = builder().queue(oneAtATime()).build()) {
      ask(router, "a");
      ask(router, "b");
      ask(router, "c");
      planted = thrown;
      // The recheck finds the fault; nothing else happens.
      simulation.runFor(150_000_000);
      assertThat(failures).containsOnlyKeys("b", "c");
      assertThat(failures.values()).allMatch(failure -> failure == thrown);

      planted = null;
      ask(router, "d");
      assertThat(leases).containsOnlyKeys("a");
      lease("a").close();
      simulation.runFor(1_000_000);

      assertThat(leases).containsOnlyKeys("a", "d");
      lease("d").close();
      assertThat(router.bookingCount()).isZero();
      assertThat(router.queueStatus().requests()).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("throwables")
  void shouldTellWhoArrivesThatTheDirectoryThrew(Throwable thrown) {
    try (KvRouter router = builder().queue(oneAtATime()).build()) {
      planted = thrown;
      ask(router, "a");

      assertThat(failures).containsEntry("a", thrown);
    }
  }

  @ParameterizedTest
  @MethodSource("throwables")
  void shouldTellWhoWaitsThatThePolicyThrew(Throwable thrown) {
    WorkerFilter filter =
        (asked, candidates, row) -> {
          if (asked.key().requestId().startsWith("bad")) {
            HostFaultsTest.<RuntimeException>sneak(thrown);
          }
          return true;
        };
    KvRouterBuilder builder =
        builder()
            .selector(
                DefaultWorkerSelector.builder(KvRouterConfig.ofDefaults()).filter(filter).build())
            .queue(oneAtATime());
    try (KvRouter router = builder.build()) {
      ask(router, "bad-first");
      assertThat(failures).containsEntry("bad-first", thrown);
      ask(router, "a");
      ask(router, "bad-waits");
      ask(router, "b");
      lease("a").close();
      simulation.runFor(1_000_000);

      assertThat(failures).containsEntry("bad-waits", thrown);
      assertThat(leases).containsOnlyKeys("a", "b");
      lease("b").close();
      assertThat(router.bookingCount()).isZero();
    }
  }

  /* --------------- In a decision --------------- */

  @ParameterizedTest
  @MethodSource("throwables")
  void shouldDecideTheSameBesideAShadowThatThrows(Throwable thrown) {
    WorkerSelector shadow =
        (asked, candidates, random) -> {
          HostFaultsTest.<RuntimeException>sneak(thrown);
          return null;
        };
    try (KvRouter router = builder().shadow(shadow).build()) {
      assertThat(router.trySelect(request("a", tokens(0, 8))).worker()).isEqualTo(worker(1));
      assertThat(router.shadow().failures()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @MethodSource("throwables")
  void shouldBookWhateverTheListenerThrows(Throwable thrown) {
    RoutingListener listener = event -> HostFaultsTest.<RuntimeException>sneak(thrown);
    try (KvRouter router = builder().listener(listener).build()) {
      RequestLease lease = router.trySelect(request("a", tokens(0, 8)));
      assertThat(router.bookingCount()).isEqualTo(1);
      lease.close();
      assertThat(router.bookingCount()).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("throwables")
  void shouldKeepNothingBookedWhereTheIndexCannotLearn(Throwable thrown) {
    FakeIndexer index = new FakeIndexer(RouterFixture.BLOCK).failingToLearn(thrown);
    try (KvRouter router = builder().indexer(index).build()) {
      assertThatThrownBy(() -> router.trySelect(request("a", tokens(0, 8)))).isSameAs(thrown);
      assertThat(router.bookingCount()).isZero();
      assertThat(router.load(worker(1))).isEqualTo(new WorkerLoad(0, 0, 0));
    }
  }

  /* --------------- At the end --------------- */

  @Test
  void shouldCloseEverythingThoughADirectoryCannotBeLeft() {
    WorkerDirectory stuck =
        new WorkerDirectory() {
          @Override
          public List<WorkerInstance> instances() {
            return directory.instances();
          }

          @Override
          public Subscription watch(Scheduler lane, Listener listener) {
            return () -> {
              throw new IllegalStateException("planted");
            };
          }
        };
    KvRouter router = builder().directory(stuck).queue(oneAtATime()).build();
    ask(router, "a");
    ask(router, "b");

    assertThatThrownBy(router::close).hasMessage("planted");
    simulation.runFor(1_000_000);

    assertThat(failures).containsOnlyKeys("b");
    lease("a").close();
  }
}
