// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

/**
 * Where the recorded peer is known to be wrong. A rule is touched when the walk through a case's
 * own scripts comes to a point where right and recorded behaviour part.
 */
enum Rule {
  /** An answer that has had its finish reason ends, whatever follows. */
  FINISHED_IS_FINAL("migration-finished-answer-is-final"),
  /** An answer that has had all tokens asked for ends; more are cut off. */
  BUDGET_IS_FINAL("migration-spent-budget-is-final"),
  /** A visible stop string is found across a break. */
  VISIBLE_STOP("migration-visible-stop-crosses-break"),
  /** Replayed tokens are answer, not prompt. */
  USAGE("migration-usage-counts-replayed-tokens-once"),
  /** A worker that failed a request does not get it again. */
  FAILED_WORKER_EXCLUDED("migration-failed-worker-is-excluded"),
  /** What is held against workers follows from causes, and never rules out the last of them. */
  FAILURE_MEMORY("migration-failure-memory-judges-causes"),
  /** What a worker refuses is judged, and told, by its cause: a bad request once, as one. */
  REFUSAL("migration-refusal-is-judged-by-its-cause"),
  /** A cancellation that the client did not ask for is a failure of the worker. */
  UNASKED_CANCELLATION("migration-unasked-cancellation-migrates"),
  /** A session goes where its request went. */
  SESSION_FOLLOWS("migration-session-follows-its-request"),
  /** Only tokens are progress, and a stall ends in an error or elsewhere. */
  PROGRESS_IS_TOKENS("migration-progress-is-tokens"),
  /** A stream without a finish reason is no answer. */
  INCOMPLETE_IS_NO_END("migration-incomplete-stream-is-no-end"),
  /**
   * A request with state that tokens do not carry may try another worker until its stream opens and
   * none after that.
   */
  STATE_BEYOND_TOKENS("migration-state-beyond-tokens-is-not-replayed"),
  /** Text withheld for a stop string comes out before the error. */
  WITHHELD_TEXT("migration-withheld-text-is-let-go");

  private final String listed;

  Rule(String listed) {
    this.listed = listed;
  }

  /** Returns whether the recorded fault shows in this; everything else must be as recorded. */
  boolean explains(Aspect aspect) {
    return switch (aspect) {
      case DISPATCHES, EVENTS, COUNTERS, OUTCOMES, END ->
          this != USAGE && this != WITHHELD_TEXT && this != VISIBLE_STOP;
      case TEXTS, OUTPUT_TOKENS -> this != USAGE;
      case FINISH_REASONS -> this != USAGE && this != WITHHELD_TEXT;
      case USAGE ->
          this == USAGE
              || this == VISIBLE_STOP
              || this == FINISHED_IS_FINAL
              || this == BUDGET_IS_FINAL;
      case CONTENT, LOG_PROBS, ANNOTATIONS -> false;
    };
  }

  /** Returns the name under which the list of differences has the rule. */
  String listed() {
    return listed;
  }
}
