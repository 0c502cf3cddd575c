// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.migration.event.MigrationListener;
import io.dynamo4j.migration.event.MigrationPhase;
import io.dynamo4j.testkit.engine.EngineListener;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Hears engines and migrator and keeps what a run's result tells. */
final class FleetObserver implements EngineListener, MigrationListener {
  private final RequestLog log;
  private final NanoClock clock;
  private final List<FleetResult.Migration> migrations = new ArrayList<>();
  private long newRequestMigrations;
  private long ongoingMigrations;
  private long continuationReusedTokens;

  FleetObserver(RequestLog log, NanoClock clock) {
    this.log = log;
    this.clock = clock;
  }

  @Override
  public void admitted(String requestId, int cachedTokens, int promptTokens, long nanos) {
    int row = Integer.parseInt(requestId);
    if (!log.admitted(row, cachedTokens)) {
      continuationReusedTokens += cachedTokens;
    }
  }

  @Override
  public void onEvent(MigrationEvent event) {
    if (event instanceof MigrationEvent.AttemptStarted started) {
      log.chosen(Integer.parseInt(started.requestId()), SimulatedWorker.position(started.worker()));
    } else if (event instanceof MigrationEvent.StreamLost lost && lost.retried()) {
      if (lost.phase() == MigrationPhase.NEW_REQUEST) {
        newRequestMigrations++;
      } else {
        ongoingMigrations++;
      }
    } else if (event instanceof MigrationEvent.Migrated migrated) {
      migrations.add(
          new FleetResult.Migration(
              clock.nanoTime() - migrated.gapNanos(),
              Integer.parseInt(migrated.requestId()),
              positionOrNone(migrated.from()),
              migrated.tokensDelivered(),
              migrated.gapNanos()));
    }
  }

  private static int positionOrNone(@Nullable WorkerWithDpRank worker) {
    return worker == null ? -1 : SimulatedWorker.position(worker);
  }

  List<FleetResult.Migration> migrations() {
    return migrations;
  }

  long newRequestMigrations() {
    return newRequestMigrations;
  }

  long ongoingMigrations() {
    return ongoingMigrations;
  }

  /** Returns tokens of continuations that their workers found cached. */
  long continuationReusedTokens() {
    return continuationReusedTokens;
  }
}
