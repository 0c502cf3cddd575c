// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import java.util.List;

/** What a search over fleets counts, and which states a long one must have reached. */
public final class RareStates {
  /** How many requests were made. */
  public static final String STREAMS = "streams";

  /** How many tokens reached clients, each judged. */
  public static final String TOKENS = "tokens delivered";

  /** How many times a worker was asked. */
  public static final String ATTEMPTS = "attempts";

  private static final List<String> ALL =
      List.of(
          "broken at a later token",
          "broken at the first token",
          "budget spent",
          "cancelled",
          "client threw",
          "crashed",
          "drained",
          "drained in time",
          "failed as not replayable",
          "failed at its deadline",
          "failed by a final error",
          "failed with its pinned worker",
          "first of two was first",
          "found a worker in time",
          "given up by a timeout",
          "late frame",
          "left before a token",
          "left between tokens",
          "migrated and completed",
          "migrated before the first token",
          "migrated before the last token",
          "migrated twice and completed",
          "moved and completed",
          "moved from a draining worker",
          "never answered",
          "nobody left",
          "not drained in time",
          "paused before another try",
          "preempted",
          "preempted, then killed",
          "raced for the first token",
          "refused",
          "second of two was first",
          "silent at a later token",
          "silent at the first token",
          "slow client",
          "slow worker",
          "stalled",
          "stopped by a token",
          "truncated at a later token",
          "truncated at the first token",
          "waited for a worker",
          "waited in vain");

  private RareStates() {}

  /** Returns the states that a search proves nothing without. */
  public static List<String> all() {
    return ALL;
  }
}
