// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.testkit.script.WorkerScript;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** How failures of each type are retried. */
class RetryRuleTest {
  private static final long MILLI = 1_000_000;

  private static Rig rig(long limit, RetryRule rule) {
    MigrationPolicy policy =
        MigrationPolicy.ofDefaults().toBuilder().rule(ErrorType.DISCONNECTED, rule).build();
    return Rig.of(Migrator.builder().limit(limit).policy(policy));
  }

  private static Rig withBreaks(Rig rig, int count) {
    for (int i = 1; i <= count; i++) {
      rig.worker(i, WorkerScript.open().tokens(1).fail(ErrorType.DISCONNECTED));
    }
    return rig.worker(count + 1, WorkerScript.open().answer());
  }

  @Test
  void shouldPauseLongerEachTimeWhenBackOffGrows() {
    BackOff backOff = BackOff.exponential(Duration.ofMillis(10), 3, Duration.ofMillis(50));
    Rig rig = withBreaks(rig(9, RetryRule.builder().backOff(backOff).build()), 4);

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(client.tokens()).containsExactly(Rig.answer(8));
    assertThat(rig.events(MigrationEvent.Delayed.class))
        .extracting(MigrationEvent.Delayed::delayNanos)
        .containsExactly(10 * MILLI, 30 * MILLI, 50 * MILLI, 50 * MILLI);
    assertThat(rig.simulation.nowNanos()).isEqualTo(140 * MILLI);
  }

  @Test
  void shouldDrawJitterFromSeededChance() {
    BackOff backOff = BackOff.fixed(Duration.ofMillis(100)).withJitter(0.5);
    Rig first = withBreaks(rig(9, RetryRule.builder().backOff(backOff).build()), 5);
    Rig second = withBreaks(rig(9, RetryRule.builder().backOff(backOff).build()), 5);
    first.run(Rig.request().build());
    second.run(Rig.request().build());

    List<Long> delays =
        first.events(MigrationEvent.Delayed.class).stream()
            .map(MigrationEvent.Delayed::delayNanos)
            .toList();
    assertThat(delays).hasSize(5).allMatch(d -> d >= 50 * MILLI && d < 150 * MILLI);
    assertThat(new TreeSet<>(delays)).hasSize(5);
    assertThat(second.events(MigrationEvent.Delayed.class))
        .extracting(MigrationEvent.Delayed::delayNanos)
        .isEqualTo(delays);
  }

  @Test
  void shouldGiveUpWhenTypesOwnLimitIsReached() {
    Rig rig = withBreaks(rig(9, RetryRule.builder().limit(2).build()), 4);

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(client.failure().errorType()).isEqualTo(ErrorType.DISCONNECTED);
    assertThat(client.failure().getSuppressed()).hasSize(2);
    assertThat(client.failure().tokensDelivered()).isEqualTo(3);
    assertThat(rig.dispatches()).hasSize(3);
  }

  @Test
  void shouldCountOtherTypesApart() {
    Rig rig = rig(9, RetryRule.builder().limit(1).build());
    rig.worker(1, WorkerScript.open().tokens(1).fail(ErrorType.DISCONNECTED))
        .worker(2, WorkerScript.open().tokens(1).fail(ErrorType.ENGINE_SHUTDOWN))
        .worker(3, WorkerScript.open().tokens(1).fail(ErrorType.ENGINE_SHUTDOWN))
        .worker(4, WorkerScript.open().answer());

    assertThat(rig.run(Rig.request().build()).isCompleted()).isTrue();
  }

  @Test
  void shouldGiveUpWhenSearchTakesTooLong() {
    RetryRule rule =
        RetryRule.builder()
            .backOff(BackOff.fixed(Duration.ofMillis(40)))
            .within(Duration.ofMillis(100))
            .build();
    Rig rig = rig(9, rule);
    for (int i = 1; i <= 9; i++) {
      rig.worker(i, WorkerScript.refuse(ErrorType.DISCONNECTED));
    }

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(client.failure().errorType()).isEqualTo(ErrorType.DISCONNECTED);
    assertThat(rig.dispatches()).hasSize(4);
    assertThat(rig.simulation.nowNanos()).isEqualTo(120 * MILLI);
  }

  @Test
  void shouldDispatchNothingWhenClientLeavesInBackOff() {
    BackOff backOff = BackOff.fixed(Duration.ofSeconds(10));
    Rig rig = withBreaks(rig(9, RetryRule.builder().backOff(backOff).build()), 1);
    RecordingClient client = RecordingClient.unbounded();
    rig.subscribe(Rig.request().build(), rig.migrator.options(), client);
    rig.simulation.runFor(100 * MILLI);

    client.cancel();
    rig.simulation.run();

    assertThat(rig.dispatches()).hasSize(1);
    assertThat(rig.simulation.nowNanos()).isLessThan(101 * MILLI);
    assertThat(rig.events).last().isInstanceOf(MigrationEvent.Ended.class);
  }

  @Test
  void shouldEndAtOnceWhenClosedInBackOff() {
    BackOff backOff = BackOff.fixed(Duration.ofSeconds(10));
    Rig rig = withBreaks(rig(9, RetryRule.builder().backOff(backOff).build()), 1);
    RecordingClient client = RecordingClient.unbounded();
    rig.subscribe(Rig.request().build(), rig.migrator.options(), client);
    rig.simulation.runFor(100 * MILLI);

    rig.migrator.close();
    rig.simulation.run();

    assertThat(client.failure().errorType()).isEqualTo(ErrorType.CLOSED);
    assertThat(client.failure().tokensDelivered()).isOne();
    assertThat(rig.simulation.nowNanos()).isLessThan(101 * MILLI);
  }

  @Test
  void shouldBoundPauseWhateverTheCount() {
    BackOff backOff = BackOff.exponential(Duration.ofMillis(1), 1_000, Duration.ofSeconds(1));

    assertThat(backOff.delayNanos(Integer.MAX_VALUE, RandomSource.seeded(1)))
        .isEqualTo(1_000 * MILLI);
  }

  @Test
  void shouldRejectRulesOutOfRange() {
    assertThatThrownBy(() -> RetryRule.builder().limit(-1)).hasMessageContaining("limit=-1");
    assertThatThrownBy(() -> RetryRule.builder().within(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> BackOff.exponential(Duration.ZERO, 0.5, Duration.ZERO))
        .hasMessageContaining("factor=0.5");
    assertThatThrownBy(() -> BackOff.none().withJitter(2)).hasMessageContaining("jitter=2.0");
    assertThatThrownBy(() -> BackOff.fixed(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
