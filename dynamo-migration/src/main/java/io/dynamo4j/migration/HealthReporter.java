// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.WorkerHealth;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the memory of failures, where there is one, what became of each attempt. */
final class HealthReporter {
  private static final Logger LOG = LoggerFactory.getLogger(Migrator.class);

  private final @Nullable WorkerHealth health;

  HealthReporter(@Nullable WorkerHealth health) {
    this.health = health;
  }

  /** The attempt brought part of an answer. */
  void proven(AttemptRun<?> run) {
    WorkerWithDpRank worker = run.worker();
    if (!run.isProven()) {
      run.prove();
      if (health != null && worker != null) {
        health.recordSuccess(worker);
      }
    }
  }

  /** The attempt failed; whether that is the worker's fault is for the memory to say. */
  void failed(Loss loss) {
    if (health != null && loss.worker() != null) {
      try {
        health.recordFailure(loss.worker(), loss.decisive());
      } catch (Throwable failure) {
        // The host's own judgement of errors: the request goes on without it.
        LOG.warn("failure could not be recorded: worker={}", loss.worker(), failure);
      }
    }
  }

  /** The worker is to get no new requests. */
  void drained(long workerId) {
    if (health != null) {
      health.drain(workerId);
    }
  }

  /** Returns whether a worker that was to be drained still is, as far as anybody knows. */
  boolean isDraining(WorkerWithDpRank worker) {
    return health == null || health.state(worker) == WorkerHealth.State.DRAINING;
  }

  /** Cancels an attempt, if there is one, for reasons that are not its worker's. */
  void giveUp(@Nullable AttemptRun<?> run) {
    if (run != null) {
      run.abandon();
      abandoned(run);
    }
  }

  /** The attempt ended for reasons of the client's. */
  void abandoned(AttemptRun<?> run) {
    WorkerWithDpRank worker = run.worker();
    if (health != null && worker != null && !run.isProven()) {
      health.releaseProbe(worker);
    }
  }
}
