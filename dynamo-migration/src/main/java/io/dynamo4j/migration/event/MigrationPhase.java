// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.event;

/** Where a request stood when an attempt failed: the boundary is the response prologue. */
public enum MigrationPhase {
  /** The worker had not opened its stream. */
  NEW_REQUEST("new_request"),
  /** The worker had opened its stream, with or without a first token. */
  ONGOING_REQUEST("ongoing_request");

  private final String label;

  MigrationPhase(String label) {
    this.label = label;
  }

  /** Returns the value of Dynamo's metric label {@code migration_type}. */
  public String label() {
    return label;
  }
}
