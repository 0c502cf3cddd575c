// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeaseExpiryTest {
  private static final long SECOND = 1_000_000_000L;

  private final RouterFixture fixture = new RouterFixture(1);
  private final KvRouter router =
      fixture
          .builder()
          .leases(LeaseConfig.builder().activeRequestExpiry(Duration.ofSeconds(10)).build())
          .build();

  private void pass(long seconds) {
    fixture.nanos.addAndGet(seconds * SECOND);
  }

  @Test
  void shouldEndABookingThatMakesNoProgress() {
    RequestLease forgotten = router.trySelect(request("forgotten", tokens(0, 8)));
    pass(10);
    assertThat(router.bookingCount()).isEqualTo(1);
    pass(1);

    assertThat(router.bookingCount()).isZero();
    assertThat(router.load(worker(1))).isEqualTo(WorkerLoad.NONE);
    forgotten.close();
    assertThat(router.bookingCount()).isZero();
  }

  @Test
  void shouldNeverEndALongRequestThatLives() {
    RequestLease lease = router.trySelect(request("long", tokens(0, 8)));
    for (int i = 0; i < 100; i++) {
      pass(9);
      lease.addOutputTokens(1);
      assertThat(router.load(worker(1)).requests()).isEqualTo(1);
    }
    RequestLease other = router.trySelect(request("other", tokens(100, 8)));
    pass(9);
    lease.addOutputTokens(1);
    pass(3);

    assertThat(router.load(worker(1)).requests()).isEqualTo(1);
    lease.close();
    assertThat(router.bookingCount()).isZero();
    other.close();
  }

  @Test
  void shouldBringABookingBackWhenItsRequestGoesOn() {
    RequestLease lease = router.trySelect(request("slow", tokens(0, 8)));
    lease.markPrefillCompleted();
    WorkerLoad before = router.load(worker(1));
    pass(11);
    assertThat(router.bookingCount()).isZero();

    lease.addOutputTokens(1);

    assertThat(router.load(worker(1))).isEqualTo(before);
    lease.close();
    assertThat(router.load(worker(1))).isEqualTo(WorkerLoad.NONE);
  }

  @Test
  void shouldNotBringABookingBackWhenItIsClosedOrItsKeyOrWorkerIsGone() {
    RequestLease closed = router.trySelect(request("closed", tokens(0, 8)));
    RequestLease again = router.trySelect(request("again", tokens(0, 8)));
    RequestLease orphan = router.trySelect(request("orphan", tokens(0, 8)));
    pass(11);
    assertThat(router.bookingCount()).isZero();
    RequestLease successor = router.trySelect(request("again", tokens(0, 8)));

    closed.close();
    closed.addOutputTokens(1);
    again.addOutputTokens(1);
    assertThat(router.bookingCount()).isEqualTo(1);
    again.close();
    assertThat(router.bookingCount()).isEqualTo(1);
    successor.close();
    fixture.register(1, 7);
    orphan.addOutputTokens(1);

    assertThat(router.bookingCount()).isZero();
  }

  @Test
  void shouldFreeWhatIsBookedOnARankThatIsGone() {
    fixture.directory.register(RouterFixture.instance(1).dpRanks(0, 2).build());
    for (int i = 0; i < 8; i++) {
      RequestLease lease = router.trySelect(request("r" + i, tokens(i * 100, 8)));
      assertThat(lease.worker().workerId()).isEqualTo(1);
    }
    assertThat(router.load(new WorkerWithDpRank(1, 1)).requests()).isEqualTo(4);

    fixture.directory.register(RouterFixture.instance(1).dpRanks(0, 1).build());

    assertThat(router.bookingCount()).isEqualTo(4);
    assertThat(router.load(worker(1)).requests()).isEqualTo(4);
  }

  @Test
  void shouldDecayPrefillTokensWhereAModelPredictsTheirTime() {
    KvRouter modelled =
        fixture.builder().prefillLoadModel((rank, prompt, uncached) -> uncached * SECOND).build();
    RequestLease lease = modelled.trySelect(request("r", tokens(0, 8)));
    assertThat(modelled.load(worker(1)).prefillTokens()).isEqualTo(8);
    pass(3);
    assertThat(modelled.load(worker(1)).prefillTokens()).isEqualTo(5);
    lease.markPrefillCompleted();

    assertThat(modelled.load(worker(1)).prefillTokens()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-3", "x", "", "99999999999999999999"})
  void shouldKeepTheDefaultExpiryWhenTheVariableIsUseless(String text) {
    assertThat(expiryOf(text)).isEqualTo(Duration.ofMinutes(5));
    assertThat(expiryOf(" 20 ")).isEqualTo(Duration.ofSeconds(20));
  }

  private static Duration expiryOf(String text) {
    return LeaseConfig.fromEnvironment(Map.of("DYN_ROUTER_ACTIVE_REQUEST_EXPIRY_SECS", text))
        .activeRequestExpiry();
  }

  @Test
  void shouldRefuseLeasesOutOfRange() {
    LeaseConfig.Builder builder = LeaseConfig.builder();
    assertThatThrownBy(() -> builder.activeRequestExpiry(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.routerLease(Duration.ofMillis(29)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.eventsPerMessage(257))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
