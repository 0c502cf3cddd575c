// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

/** What of a case is compared. */
enum Aspect {
  DISPATCHES("dispatches"),
  EVENTS("events"),
  COUNTERS("counters"),
  OUTCOMES("outcomes"),
  END("end"),
  TEXTS("texts"),
  /** That one text is where the other one stopped or went on. */
  CONTENT("content"),
  FINISH_REASONS("finishReasons"),
  LOG_PROBS("logProbs"),
  ANNOTATIONS("annotations"),
  USAGE("usage"),
  OUTPUT_TOKENS("outputTokens");

  private final String shown;

  Aspect(String shown) {
    this.shown = shown;
  }

  @Override
  public String toString() {
    return shown;
  }
}
