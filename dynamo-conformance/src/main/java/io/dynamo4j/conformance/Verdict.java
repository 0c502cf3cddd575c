// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance;

import java.util.List;

/**
 * How one case, or one thing that should have held cases, ended.
 *
 * @param unread keys of a passed case that its reader does not know: they may change what it means
 */
record Verdict(Outcome outcome, String id, String text, List<String> unread) {

  enum Outcome {
    PASSED,
    FAILED,
    SKIPPED
  }

  static Verdict passed(String id, String reader) {
    return new Verdict(Outcome.PASSED, id, reader, List.of());
  }

  static Verdict failed(String id, String reason) {
    return new Verdict(Outcome.FAILED, id, reason, List.of());
  }

  static Verdict skipped(String id, String reason) {
    return new Verdict(Outcome.SKIPPED, id, reason, List.of());
  }

  /** Returns this, with the keys that its reader has passed over, if it passed. */
  Verdict passingOver(List<String> keys) {
    return outcome == Outcome.PASSED ? new Verdict(outcome, id, text, List.copyOf(keys)) : this;
  }

  /** Returns this if nothing was passed over, else a failure that names the first such key. */
  Verdict whole() {
    if (unread.isEmpty()) {
      return this;
    }
    String more = unread.size() > 1 ? " (and " + (unread.size() - 1) + " more)" : "";
    return failed(id, "key is not known: key=" + unread.get(0) + more);
  }

  @Override
  public String toString() {
    return outcome + " " + id + ": " + text;
  }
}
