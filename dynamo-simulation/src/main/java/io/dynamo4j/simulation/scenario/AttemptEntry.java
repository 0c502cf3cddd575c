// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

/** What the ledger knows of one dispatch of a request. */
final class AttemptEntry {
  /** Marks that no worker was chosen. */
  static final int NO_WORKER = -1;

  private final int number;
  private int worker = NO_WORKER;
  private long lifeAtDispatch;
  private int tokens;
  private boolean lost;
  private boolean faulted;

  AttemptEntry(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }

  /** Returns the chosen worker's position, or {@link #NO_WORKER}. */
  int worker() {
    return worker;
  }

  void chosen(int position, long life) {
    worker = position;
    lifeAtDispatch = life;
  }

  long lifeAtDispatch() {
    return lifeAtDispatch;
  }

  int tokens() {
    return tokens;
  }

  void brought(int more) {
    tokens += more;
  }

  /** Returns whether the attempt ended without an answer. */
  boolean isLost() {
    return lost;
  }

  void lost() {
    lost = true;
  }

  /** Returns whether a fault was injected into this attempt. */
  boolean isFaulted() {
    return faulted;
  }

  void faulted() {
    faulted = true;
  }
}
