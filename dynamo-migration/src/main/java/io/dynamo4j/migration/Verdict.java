// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

/** What an error means for going on elsewhere. */
public enum Verdict {
  /** Another worker may do better. */
  MIGRATES,
  /** No worker will do better; holds wherever in a chain of causes the error stands. */
  VETOES,
  /** Does not migrate by itself, nor keep a cause from doing so. */
  NEUTRAL
}
