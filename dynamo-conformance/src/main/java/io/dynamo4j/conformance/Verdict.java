// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance;

/** How one case, or one thing that should have held cases, ended. */
record Verdict(Outcome outcome, String id, String text) {

  enum Outcome {
    PASSED,
    FAILED,
    SKIPPED
  }

  static Verdict passed(String id, String reader) {
    return new Verdict(Outcome.PASSED, id, reader);
  }

  static Verdict failed(String id, String reason) {
    return new Verdict(Outcome.FAILED, id, reason);
  }

  static Verdict skipped(String id, String reason) {
    return new Verdict(Outcome.SKIPPED, id, reason);
  }

  @Override
  public String toString() {
    return outcome + " " + id + ": " + text;
  }
}
