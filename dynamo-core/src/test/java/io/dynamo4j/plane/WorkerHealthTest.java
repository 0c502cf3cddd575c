// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.WorkerHealth.State;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class WorkerHealthTest {
  private static final WorkerWithDpRank W1 = WorkerWithDpRank.of(1);
  private static final WorkerWithDpRank W2 = WorkerWithDpRank.of(2);

  private long now;
  private final WorkerHealth health = WorkerHealth.create(() -> now);

  private static DynamoException error(ErrorType type) {
    return new DynamoException(type, "failed: type=" + type);
  }

  @ParameterizedTest
  @EnumSource(
      names = {"BACKEND_CANNOT_CONNECT", "BACKEND_DISCONNECTED", "BACKEND_CONNECTION_TIMEOUT"})
  void shouldKeepWorkerOutWhenItRaisesConnectionErrorItself(ErrorType type) {
    health.recordFailure(W1, error(type));
    assertThat(health.usable(List.of(W1, W2))).containsExactly(W2);
  }

  @ParameterizedTest
  @EnumSource(
      names = {"INVALID_REQUEST", "CANCELLED", "DEADLINE_EXCEEDED", "WORKER_OVERLOADED", "CLOSED"})
  void shouldNotBlameWorkerForWhatIsNotItsFault(ErrorType type) {
    health.recordFailure(W1, error(type));
    assertThat(health.state(W1)).isEqualTo(State.AVAILABLE);
  }

  @Test
  void shouldLetExactlyOneProbeThroughWhenWindowIsOver() {
    health.recordFailure(W1, error(ErrorType.DISCONNECTED));
    now += WorkerHealth.DEFAULT_INHIBITION_NANOS - 1;
    assertThat(health.tryAdmit(W1)).isFalse();
    now += 1;
    assertThat(health.usable(List.of(W1, W2))).containsExactly(W1, W2);
    assertThat(health.tryAdmit(W1)).isTrue();
    assertThat(health.tryAdmit(W1)).isFalse();
    assertThat(health.usable(List.of(W1, W2))).containsExactly(W2);
    health.recordSuccess(W1);
    assertThat(health.tryAdmit(W1)).isTrue();
    assertThat(health.tryAdmit(W1)).isTrue();
  }

  @Test
  void shouldForgetProbeWhoseResultNeverComes() {
    health.recordFailure(W1, error(ErrorType.DISCONNECTED));
    now += WorkerHealth.DEFAULT_INHIBITION_NANOS;
    assertThat(health.tryAdmit(W1)).isTrue();
    now += WorkerHealth.DEFAULT_PROBE_NANOS;
    assertThat(health.tryAdmit(W1)).isTrue();
  }

  @Test
  void shouldNeverInhibitLastCandidateButNeverReturnDrainingOne() {
    health.recordFailure(W1, error(ErrorType.DISCONNECTED));
    health.drain(2);
    assertThat(health.usable(List.of(W1, W2))).containsExactly(W1);
    assertThat(health.usable(List.of(W2))).isEmpty();
  }

  @Test
  void shouldForgetFailureWhoseWindowEndsFirstWhenFull() {
    WorkerHealth small = WorkerHealth.builder(() -> now).capacity(2).build();
    for (long worker = 1; worker <= 3; worker++) {
      small.recordFailure(WorkerWithDpRank.of(worker), error(ErrorType.DISCONNECTED));
      now++;
    }
    assertThat(small.state(1, 0)).isEqualTo(State.AVAILABLE);
    assertThat(small.state(2, 0)).isEqualTo(State.INHIBITED);
    assertThat(small.state(3, 0)).isEqualTo(State.INHIBITED);
  }

  @Test
  void shouldRememberNothingWhenSwitchedOff() {
    WorkerHealth off = WorkerHealth.builder(() -> now).inhibitionNanos(0).build();
    off.recordFailure(W1, error(ErrorType.DISCONNECTED));
    assertThat(off.state(W1)).isEqualTo(State.AVAILABLE);
  }

  @Test
  void shouldReturnSameListWhenNobodyFailed() {
    List<WorkerWithDpRank> candidates = List.of(W1, W2);
    assertThat(health.usable(candidates)).isSameAs(candidates);
    health.recordFailure(WorkerWithDpRank.of(9), error(ErrorType.DISCONNECTED));
    assertThat(health.usable(candidates)).isSameAs(candidates);
  }

  @Test
  void shouldAdmitOneProbeWhenThreadsRace() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      for (int round = 0; round < 200; round++) {
        WorkerHealth racing = WorkerHealth.create(() -> now);
        racing.recordFailure(W1, error(ErrorType.DISCONNECTED));
        racing.recordFailure(W1, FailureVerdict.RANK);
        now += WorkerHealth.DEFAULT_INHIBITION_NANOS;
        Callable<Boolean> attempt = () -> racing.tryAdmit(W1);
        int admitted = 0;
        for (Future<Boolean> probe : threads.invokeAll(Collections.nCopies(8, attempt))) {
          admitted += probe.get() ? 1 : 0;
        }
        assertThat(admitted).isEqualTo(1);
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
