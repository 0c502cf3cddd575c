// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.WorkerHealth;
import io.dynamo4j.testkit.script.ScriptedDispatcher;
import io.dynamo4j.testkit.script.WorkerScript;
import io.dynamo4j.testkit.simulation.Simulation;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class HealthReportingTest {
  private static final WorkerWithDpRank ONE = WorkerWithDpRank.of(1);
  private static final WorkerWithDpRank TWO = WorkerWithDpRank.of(2);

  private final Simulation simulation = Simulation.builder().build();
  private final WorkerHealth health = WorkerHealth.create(simulation.controller().clock());
  private final ScriptedDispatcher workers = ScriptedDispatcher.create();

  private RecordingClient run() {
    RecordingClient client = RecordingClient.unbounded();
    Migrator.builder()
        .limit(1)
        .adapter(ReplayAdapter.preprocessed())
        .dispatcher(workers)
        .environment(simulation.environment("gateway"))
        .health(health)
        .build()
        .migrate(Rig.request().build())
        .subscribe(client);
    simulation.run();
    return client;
  }

  @Test
  void shouldInhibitWorkerWhenItBreaksAStream() {
    workers
        .worker(1, WorkerScript.open().tokens(1).fail(ErrorType.BACKEND_DISCONNECTED))
        .worker(2, WorkerScript.open().answer());

    run();

    assertThat(health.state(ONE)).isEqualTo(WorkerHealth.State.INHIBITED);
    assertThat(health.state(TWO)).isEqualTo(WorkerHealth.State.AVAILABLE);
  }

  @Test
  void shouldInhibitWorkerWhenItDiesAfterTheAnswer() {
    workers.worker(1, WorkerScript.open().tokens(8).fail(ErrorType.DISCONNECTED));

    assertThat(run().isCompleted()).isTrue();

    assertThat(health.state(ONE)).isEqualTo(WorkerHealth.State.INHIBITED);
  }

  @Test
  void shouldNotInhibitWorkerWhenRequestWasBad() {
    workers.worker(1, WorkerScript.refuse(ErrorType.BACKEND_INVALID_ARGUMENT));

    run();

    assertThat(health.state(ONE)).isEqualTo(WorkerHealth.State.AVAILABLE);
  }

  @Test
  void shouldPutWorkerBackWhenItBringsATokenAgain() {
    workers.worker(1, WorkerScript.open().tokens(8).finish(FinishReason.EOS));
    halfOpen();

    run();

    assertThat(health.state(ONE)).isEqualTo(WorkerHealth.State.AVAILABLE);
  }

  @Test
  void shouldReleaseProbeWhenClientLeaves() {
    workers.worker(1, WorkerScript.open());
    halfOpen();
    assertThat(health.tryAdmit(ONE)).isTrue();

    RecordingClient client = run();
    assertThat(health.state(ONE)).isEqualTo(WorkerHealth.State.PROBING);
    client.cancel();
    simulation.run();

    assertThat(health.state(ONE)).isEqualTo(WorkerHealth.State.HALF_OPEN);
  }

  private void halfOpen() {
    health.recordFailure(ONE, new DynamoException(ErrorType.DISCONNECTED, "planted"));
    simulation.runFor(Duration.ofSeconds(6).toNanos());
    assertThat(health.state(ONE)).isEqualTo(WorkerHealth.State.HALF_OPEN);
  }
}
