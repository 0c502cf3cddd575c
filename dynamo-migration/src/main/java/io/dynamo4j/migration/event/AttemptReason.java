// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.event;

/** Why an attempt was started. */
public enum AttemptReason {
  /** It is the request's first. */
  FIRST("first"),
  /** The attempt before it failed. */
  FAILURE("failure"),
  /** The first token of another attempt is late; whichever brings one first goes on. */
  HEDGE("hedge"),
  /** The worker of a healthy attempt drains. */
  DRAIN("drain");

  private final String label;

  AttemptReason(String label) {
    this.label = label;
  }

  /** Returns a name for metric labels. */
  public String label() {
    return label;
  }
}
