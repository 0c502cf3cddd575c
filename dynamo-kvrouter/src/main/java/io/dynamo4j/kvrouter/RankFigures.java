// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/**
 * What is counted of one rank; a rank that begins anew begins at 0.
 *
 * @param incarnation which life of its worker this is
 * @param events that came from its own publisher
 * @param computed requests whose prompt it computed, with a full block that it was not known to
 *     hold
 * @param matched new prompts sent there of which it then stored the first block
 * @param unmatched new prompts sent there of which it did not
 * @param unknownParents stores under a block that is not known
 */
record RankFigures(
    long incarnation,
    long events,
    long computed,
    long matched,
    long unmatched,
    long unknownParents) {

  /** Returns what is counted of a life of which nothing is known yet. */
  static RankFigures none(long incarnation) {
    return new RankFigures(incarnation, 0, 0, 0, 0, 0);
  }
}
