// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.event;

/** How the search for another worker ended. */
public enum RecoveryOutcome {
  /** Another worker opened its stream; it may still fail later. */
  SUCCESS("success"),
  /** The client got an error. */
  FAILURE("failure"),
  /** The client left meanwhile. */
  CANCELLED("cancelled");

  private final String label;

  RecoveryOutcome(String label) {
    this.label = label;
  }

  /** Returns the value of Dynamo's metric label {@code outcome}. */
  public String label() {
    return label;
  }
}
