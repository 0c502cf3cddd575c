// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One prefill and one decode worker, which take a prompt at a time; one request may wait. */
class DisaggregatedQueueTest {
  private static final RoutingHints ANY = RoutingHints.none();

  private final Simulation simulation = Simulation.builder().seed(1).build();
  private final KvRouter prefill = router("prefill", 1);
  private final KvRouter decode = router("decode", 11);
  private final DisaggregatedRouter router =
      DisaggregatedRouter.builder().prefill(prefill).decode(decode).build();
  private final Map<String, DisaggregatedLease> leases = new LinkedHashMap<>();
  private final Map<String, Throwable> failures = new LinkedHashMap<>();

  private KvRouter router(String name, long id) {
    InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
    directory.register(RouterFixture.instance(id).build());
    return KvRouter.builder()
        .environment(simulation.environment(name))
        .directory(directory)
        .indexer(new FakeIndexer(RouterFixture.BLOCK))
        .queue(
            QueueConfig.builder()
                .policyClass(
                    PolicyClass.builder("default")
                        .prefillBusyThreshold(0)
                        .requestLimitPerWorker(1)
                        .build())
                .build())
        .build();
  }

  private static SchedulingRequest request(String id) {
    return SchedulingRequest.builder(id, tokens(id.hashCode() & 0xffff, 16)).build();
  }

  private void ask(String id) {
    router
        .select(request(id), ANY)
        .whenComplete(
            (lease, failure) -> {
              if (failure == null) {
                leases.put(id, lease);
              } else {
                failures.put(
                    id, failure instanceof CompletionException ? failure.getCause() : failure);
              }
            });
    simulation.runFor(1_000);
  }

  private DisaggregatedLease lease(String id) {
    return Objects.requireNonNull(leases.get(id));
  }

  private void cancel(String id) {
    router.cancel(request(id).key());
    simulation.runFor(1_000);
  }

  @AfterEach
  void nothingStaysBooked() {
    leases.values().forEach(DisaggregatedLease::close);
    simulation.runFor(1_000);
    leases.values().forEach(DisaggregatedLease::close);
    assertThat(prefill.bookingCount()).isZero();
    assertThat(decode.bookingCount()).isZero();
    assertThat(prefill.queueStatus().requests()).isZero();
    assertThat(decode.queueStatus().requests()).isZero();
  }

  @Test
  void shouldWaitForAPrefillWorkerAndThenTakeADecodeWorker() {
    ask("a");
    ask("b");
    assertThat(leases).containsOnlyKeys("a");
    assertThat(decode.bookingCount()).isEqualTo(1);

    Objects.requireNonNull(lease("a").prefill()).markPrefillCompleted();
    simulation.runFor(1_000);

    assertThat(leases).containsOnlyKeys("a", "b");
    assertThat(lease("b").route()).isEqualTo(PrefillRoute.REMOTE);
    assertThat(decode.bookingCount()).isEqualTo(2);
  }

  @Test
  void shouldLeaveThePrefillQueueWhenGivenUp() {
    ask("a");
    ask("b");

    cancel("b");

    assertThat(failures.get("b")).isInstanceOf(CancellationException.class);
    assertThat(decode.bookingCount()).isEqualTo(1);
  }

  @Test
  void shouldFreeThePrefillWorkerWhenGivenUpInTheDecodeQueue() {
    RequestLease aggregated = decode.trySelect(request("busy"));
    ask("a");
    assertThat(prefill.bookingCount()).isEqualTo(1);
    assertThat(leases).isEmpty();

    cancel("a");

    assertThat(failures.get("a")).isInstanceOf(CancellationException.class);
    assertThat(prefill.bookingCount()).isZero();
    aggregated.close();
  }

  @Test
  void shouldLeaveThePromptToTheDecodeWorkerWhenThePrefillQueueIsFull() {
    ask("a");
    ask("b");

    ask("c");

    assertThat(lease("c").route()).isEqualTo(PrefillRoute.PREFILL_OVERLOADED);
    cancel("b");
  }

  @Test
  void shouldDoNothingForARequestThatDoesNotWait() {
    ask("a");
    cancel("a");
    cancel("nobody");

    assertThat(failures).isEmpty();
    assertThat(lease("a").toString()).contains("prefill=1/0", "decode=11/0");
  }
}
