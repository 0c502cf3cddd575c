// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

/** What of a case is compared. */
enum Aspect {
  DISPATCHES("dispatches"),
  COUNTERS("counters"),
  END("end"),
  TEXTS("texts"),
  FINISH_REASONS("finishReasons"),
  LOG_PROBS("logProbs"),
  ANNOTATIONS("annotations"),
  USAGE("usage");

  private final String shown;

  Aspect(String shown) {
    this.shown = shown;
  }

  @Override
  public String toString() {
    return shown;
  }
}
