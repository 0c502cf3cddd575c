// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Arguments out of range are refused with their value, and nothing changes. */
class BadInputTest {

  @Test
  void shouldRefuseANegativeAttempt() {
    SchedulingRequest.Builder builder = SchedulingRequest.builder("r", tokens(0, 4)).attempt(-1);

    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("attempt=-1");
  }

  @Test
  void shouldRefuseABookingThatDoesNotAddUp() {
    BookingKey key = new BookingKey("r", 0);

    assertThatThrownBy(() -> Booking.of(key, worker(1), new long[2], 2, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("request=r#0, tokens=-1");
    assertThatThrownBy(() -> Booking.of(key, worker(1), new long[2], 3, 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(Booking.of(key, worker(1), new long[2], 1, 0).blockCount()).isEqualTo(1);
  }

  @Test
  void shouldRefuseSizesOutOfRange() {
    WorkerCandidates candidates = WorkerCandidates.create();
    candidates.reset(8, 4, 2, true);
    candidates.add(worker(1), 0, 0, 0);

    assertThatThrownBy(() -> candidates.reset(8, 0, 2, true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("blockSize=0");
    assertThatThrownBy(() -> candidates.setLoad(1, 0, 0, 0, 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(candidates.size()).isEqualTo(1);
    assertThat(candidates.promptTokens()).isEqualTo(8);
  }

  @Test
  void shouldRefuseABlockSizeOfZero() {
    KvRouterBuilder builder = new RouterFixture(1).builder();

    assertThatThrownBy(() -> builder.blockSize(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("blockSize=0");
  }

  @Test
  void shouldNameThePartThatADispatcherLacks() {
    assertThatThrownBy(() -> KvDispatcher.builder().build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("router=missing");
    assertThatThrownBy(
            () -> PoolDispatcher.builder().environment(RouterFixture.environment(1)).build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("missing=policy");
  }

  @Test
  void shouldShowIdsOfClientsOnOneShortLine() {
    String forged = "r\nWARN forged" + "x".repeat(100_000);
    RouterFixture fixture = new RouterFixture(0);

    assertThatThrownBy(() -> fixture.router().trySelect(request(forged, tokens(0, 8))))
        .isInstanceOf(NoEligibleWorkerException.class)
        .hasMessageContaining("r\\u000aWARN forged")
        .satisfies(
            refused -> assertThat(refused.getMessage()).hasSizeLessThan(1_000).hasLineCount(1));
    assertThatThrownBy(
            () -> RouterConfigOverride.fromMap(Map.of("router_temperature", "hot\n" + forged)))
        .satisfies(
            refused -> assertThat(refused.getMessage()).hasSizeLessThan(1_000).hasLineCount(1));
  }
}
