// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.pinned;
import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.WorkerHealth;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class EligibilityTest {
  private final RouterFixture fixture = new RouterFixture(3);
  private final KvRouter router = fixture.router();
  private int nextId;

  private Set<WorkerWithDpRank> chosen(SchedulingRequest.Builder wishes) {
    Set<WorkerWithDpRank> chosen = new TreeSet<>();
    for (int i = 0; i < 60; i++) {
      try (RequestLease lease = router.trySelect(wishes.attempt(nextId++).build())) {
        chosen.add(lease.worker());
      }
    }
    return chosen;
  }

  private static SchedulingRequest.Builder any() {
    return SchedulingRequest.builder("r", tokens(0, 16));
  }

  private void fail(long workerId) {
    WorkerWithDpRank rank = worker(workerId);
    fixture.health.recordFailure(
        rank, new DynamoException(ErrorType.DISCONNECTED, "connection lost", rank));
  }

  @Test
  void shouldChooseAmongAllByDefault() {
    assertThat(chosen(any())).containsExactly(worker(1), worker(2), worker(3));
  }

  @Test
  void shouldHonourThePin() {
    RoutingHints pin = RoutingHints.builder().pinnedWorker(worker(2)).build();

    assertThat(chosen(any().routing(pin))).containsExactly(worker(2));
  }

  @Test
  void m7ShouldKeepToTheSessionsWorkerWhileNothingIsHeldAgainstIt() {
    RoutingHints session = RoutingHints.builder().preferredWorker(worker(2)).build();

    assertThat(chosen(any().routing(session))).containsExactly(worker(2));
  }

  @Test
  void m7ShouldDropTheSessionsBindingWhenItsWorkerIsExcludedGoneDrainingOrSick() {
    RoutingHints session = RoutingHints.builder().preferredWorker(worker(2)).build();

    assertThat(chosen(any().routing(session).excludedWorkers(Set.of(worker(2)))))
        .containsExactly(worker(1), worker(3));
    assertThat(chosen(any().routing(RoutingHints.builder().preferredWorker(worker(9)).build())))
        .containsExactly(worker(1), worker(2), worker(3));
    fixture.health.drain(2);
    assertThat(chosen(any().routing(session))).containsExactly(worker(1), worker(3));
    fixture.health.undrain(2);
    fail(2);
    assertThat(chosen(any().routing(session))).containsExactly(worker(1), worker(3));
  }

  @Test
  void shouldHonourTheAllowList() {
    RoutingHints two = RoutingHints.builder().allowedWorkerIds(1, 3, 99).build();

    assertThat(chosen(any().routing(two))).containsExactly(worker(1), worker(3));
  }

  @Test
  void shouldNotRepeatARankThatFailedThisRequest() {
    assertThat(chosen(any().excludedWorkers(Set.of(worker(1), worker(2)))))
        .containsExactly(worker(3));
  }

  @Test
  void shouldSendNothingToAWorkerThatDrains() {
    fixture.health.drain(2);

    assertThat(chosen(any())).containsExactly(worker(1), worker(3));
    fixture.health.undrain(2);
    assertThat(chosen(any())).containsExactly(worker(1), worker(2), worker(3));
  }

  @Test
  void shouldAvoidAWorkerThatFailedJustNow() {
    fail(2);

    assertThat(chosen(any())).containsExactly(worker(1), worker(3));
  }

  @Test
  void shouldUseFailedWorkersRatherThanNone() {
    fail(1);
    fail(2);
    fail(3);

    assertThat(chosen(any())).containsExactly(worker(1), worker(2), worker(3));
  }

  @Test
  void shouldUseAPinnedWorkerThatFailedJustNow() {
    fail(2);

    assertThat(router.trySelect(pinned("p", tokens(0, 4), worker(2))).worker())
        .isEqualTo(worker(2));
  }

  @Test
  void shouldLetOneRequestTryAFailedWorkerAgain() {
    fail(2);
    fixture.nanos.addAndGet(WorkerHealth.DEFAULT_INHIBITION_NANOS);
    fixture.indexer.hold(worker(2), 4);

    assertThat(router.trySelect(request("probe", tokens(0, 16))).worker()).isEqualTo(worker(2));
    assertThat(fixture.health.state(worker(2))).isEqualTo(WorkerHealth.State.PROBING);
    assertThat(chosen(any())).containsExactly(worker(1), worker(3));
    fixture.health.recordSuccess(worker(2));
    assertThat(chosen(any())).contains(worker(2));
  }

  @Test
  void shouldNotSpendTheProbeOnARequestThatIsRefused() {
    RequestLease booked = router.trySelect(pinned("p", tokens(0, 4), worker(1)));
    fail(2);
    fixture.nanos.addAndGet(WorkerHealth.DEFAULT_INHIBITION_NANOS);

    assertThatThrownBy(() -> router.trySelect(pinned("p", tokens(0, 4), worker(2))))
        .isInstanceOf(DynamoException.class);

    assertThat(fixture.health.state(worker(2))).isEqualTo(WorkerHealth.State.HALF_OPEN);
    booked.close();
  }

  @Test
  void shouldMakeEveryRankACandidate() {
    fixture.directory.register(RouterFixture.instance(2).dpRanks(4, 2).build());

    assertThat(chosen(any()))
        .containsExactly(
            worker(1), new WorkerWithDpRank(2, 4), new WorkerWithDpRank(2, 5), worker(3));
  }

  @Test
  void shouldSayWhyNobodyIsEligible() {
    fixture.register(4, 0);
    fixture.health.drain(3);
    SchedulingRequest request =
        any()
            .routing(RoutingHints.builder().allowedWorkerIds(1, 3).build())
            .excludedWorkers(Set.of(worker(1)))
            .attempt(2)
            .build();

    assertThatThrownBy(() -> router.trySelect(request))
        .isInstanceOfSatisfying(
            NoEligibleWorkerException.class,
            failure -> {
              assertThat(failure.errorType()).isEqualTo(ErrorType.UNAVAILABLE);
              assertThat(failure.registeredRanks()).isEqualTo(4);
              assertThat(failure.requestId()).isEqualTo("r");
              assertThat(failure.attempt()).isEqualTo(2);
              assertThat(failure.counts())
                  .containsEntry(IneligibilityReason.NOT_ALLOWED, 2)
                  .containsEntry(IneligibilityReason.FAILED_THIS_REQUEST, 1)
                  .containsEntry(IneligibilityReason.DRAINING, 1)
                  .hasSize(3);
            })
        .hasMessageStartingWith("no eligible worker: request=r, attempt=2, registered=4");
    assertThat(router.bookingCount()).isZero();
  }

  @Test
  void shouldSayThatAPinnedWorkerIsUnknown() {
    assertThatThrownBy(() -> router.trySelect(pinned("p", tokens(0, 4), worker(9))))
        .isInstanceOfSatisfying(
            NoEligibleWorkerException.class,
            failure ->
                assertThat(failure.counts()).containsEntry(IneligibilityReason.NOT_PINNED, 3));
  }

  @Test
  void shouldSayThatTheFleetIsEmpty() {
    KvRouter lonely = new RouterFixture(0).router();

    assertThatThrownBy(() -> lonely.trySelect(any().build()))
        .isInstanceOfSatisfying(
            NoEligibleWorkerException.class,
            failure -> {
              assertThat(failure.registeredRanks()).isZero();
              assertThat(failure.counts()).isEmpty();
            });
  }
}
