// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import static io.dynamo4j.indexer.RecoveryFixture.store;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.RealEnvironment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Field report G02: a router takes traffic once enough of its index is there, or time is up. */
class IndexReadinessTest {
  private static final Duration MOST = Duration.ofSeconds(10);
  private static final int WORKERS = 8;

  private final RecoveryFixture fixture = new RecoveryFixture();

  /** Seven workers that answer only from the first second on, and one that never does. */
  private CompletableFuture<Readiness> start(ReadinessPolicy policy) {
    for (int id = 1; id <= WORKERS; id++) {
      RecoveryFixture.Worker worker = fixture.worker(id);
      worker.record(store(id));
      worker.sequence = 1;
      worker.register();
      if (id < WORKERS) {
        fixture
            .simulation
            .node("late")
            .lane("worker-" + id)
            .schedule(worker::serve, Duration.ofMillis(900).toNanos());
      } else {
        worker.isSilent = true;
        worker.serve();
      }
    }
    IndexReadiness readiness = IndexReadiness.watch(fixture.feed, policy, fixture.router);
    assertThat(readiness.now().waitedNanos()).isZero();
    return readiness.whenReady().toCompletableFuture();
  }

  @Test
  void shouldBeReadyOnceTheFractionIsKnown() {
    CompletableFuture<Readiness> ready = start(ReadinessPolicy.fraction(0.8, MOST));
    fixture.runMillis(850);
    assertThat(ready).isNotDone();

    fixture.runMillis(3_000);

    Readiness found = ready.join();
    assertThat(found.state()).isEqualTo(Readiness.State.READY);
    assertThat(found.progress().total()).isEqualTo(WORKERS);
    assertThat(found.progress().done()).isEqualTo(WORKERS - 1);
    assertThat(Duration.ofNanos(found.waitedNanos()))
        .isBetween(Duration.ofMillis(900), Duration.ofMillis(3_000));
  }

  @Test
  void shouldBeDegradedAndNameWhoIsMissingOnceTimeIsUp() {
    CompletableFuture<Readiness> ready = start(ReadinessPolicy.all(MOST));
    fixture.runMillis(9_990);
    assertThat(ready).isNotDone();

    fixture.runMillis(30);

    Readiness found = ready.join();
    assertThat(found.state()).isEqualTo(Readiness.State.DEGRADED);
    assertThat(found.missing()).containsExactly(IndexerFixture.instance(WORKERS, 1).rank(0));
    assertThat(Duration.ofNanos(found.waitedNanos()))
        .isBetween(MOST, MOST.plus(Duration.ofMillis(20)));
  }

  @Test
  void shouldServeAtOnceWhereThatIsAskedFor() {
    assertThat(start(ReadinessPolicy.atOnce()).join().state()).isEqualTo(Readiness.State.READY);
  }

  @Test
  void shouldNotTakeAFleetThatIsNotDiscoveredYetForKnown() {
    IndexReadiness readiness =
        IndexReadiness.watch(fixture.feed, ReadinessPolicy.fraction(0.1, MOST), fixture.router);
    fixture.runMillis(1_000);

    assertThat(readiness.now().state()).isEqualTo(Readiness.State.NOT_READY);
    fixture.runMillis(9_100);
    assertThat(readiness.now().state()).isEqualTo(Readiness.State.DEGRADED);
  }

  @Test
  void shouldFailWhoWaitsWhenItOrItsEnvironmentIsClosed() {
    IndexReadiness readiness =
        IndexReadiness.watch(fixture.feed, ReadinessPolicy.all(MOST), fixture.router);
    readiness.close();
    assertClosed(readiness);

    RealEnvironment environment = RealEnvironment.create();
    IndexReadiness left =
        IndexReadiness.watch(fixture.feed, ReadinessPolicy.all(MOST), environment.environment());
    environment.close();
    assertClosed(left);
  }

  private static void assertClosed(IndexReadiness readiness) {
    assertThatThrownBy(() -> readiness.whenReady().toCompletableFuture().join())
        .cause()
        .isInstanceOfSatisfying(
            DynamoException.class,
            failure -> assertThat(failure.errorType()).isEqualTo(ErrorType.CLOSED));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -0.1, 1.01, Double.NaN, Double.POSITIVE_INFINITY})
  void shouldRefuseAFractionOutOfRange(double fraction) {
    assertThatThrownBy(() -> ReadinessPolicy.fraction(fraction, MOST))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("fraction=" + fraction);
    assertThatThrownBy(() -> ReadinessPolicy.all(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maxWait=PT-1S");
  }
}
