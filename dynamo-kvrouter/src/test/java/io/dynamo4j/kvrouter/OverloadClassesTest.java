// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.kvrouter.QueueRejectedException.Limit;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Field report H11: one worker full is no matter of the client's; all full is, for a while. */
class OverloadClassesTest {
  private final RouterFixture fixture = new RouterFixture(2);
  private final LoadMonitor monitor = LoadMonitor.create(() -> 0);
  private final KvRouter router = fixture.builder().loadMonitor(monitor).build();

  private void fill(long id) {
    monitor.thresholds(LoadThresholds.builder().activePrefillTokens(0L).build());
    monitor.report(worker(id), new RankLoadReport(1, 10, 0));
  }

  @Test
  void shouldTakeAnotherWorkerWhereOneIsFull() {
    fill(1);
    for (int i = 0; i < 8; i++) {
      try (RequestLease lease = router.trySelect(request("r" + i, tokens(0, 8)))) {
        assertThat(lease.worker()).isEqualTo(worker(2));
      }
    }
  }

  @Test
  void shouldSayWhenToComeBackWhereAllAreFull() {
    fill(1);
    fill(2);

    NoEligibleWorkerException refused =
        catchThrowableOfType(
            NoEligibleWorkerException.class, () -> router.trySelect(request("r", tokens(0, 8))));

    assertThat(refused.errorType()).isEqualTo(ErrorType.CAPACITY_EXHAUSTED);
    assertThat(refused.retryAfter()).contains(Duration.ofSeconds(1));
  }

  @Test
  void shouldNotPromiseWhatTimeDoesNotMend() {
    NoEligibleWorkerException refused =
        catchThrowableOfType(
            NoEligibleWorkerException.class,
            () -> router.trySelect(RouterFixture.pinned("r", tokens(0, 8), worker(9))));

    assertThat(refused.errorType()).isEqualTo(ErrorType.UNAVAILABLE);
    assertThat(refused.retryAfter()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void shouldSayWhenToComeBackWhereTheQueueIsFull(Limit limit) {
    QueueRejectedException refused =
        new QueueRejectedException(new BookingKey("r", 0), "default", limit, 1, 1);

    assertThat(refused.retryAfter().isPresent())
        .isEqualTo(refused.errorType() == ErrorType.CAPACITY_EXHAUSTED);
  }
}
