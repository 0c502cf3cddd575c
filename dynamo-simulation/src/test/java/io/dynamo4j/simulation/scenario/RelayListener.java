// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.AttemptListener;

/** Tells another attempt's listener. */
record RelayListener(Attempt attempt) implements AttemptListener {

  @Override
  public void workerChosen(WorkerWithDpRank worker) {
    attempt.workerChosen(worker);
  }

  @Override
  public void streamOpened() {
    attempt.streamOpened();
  }
}
