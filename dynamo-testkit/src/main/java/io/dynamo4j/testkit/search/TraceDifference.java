// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.search;

/**
 * Two runs of one scenario that did not do the same.
 *
 * @param spec the scenario
 * @param rerun which rerun differed
 * @param firstEvent number of the first event of the first differing interval, from 1
 * @param lastEvent number of its last event
 */
public record TraceDifference(ScenarioSpec spec, Rerun rerun, long firstEvent, long lastEvent) {

  /** Where the scenario was run again. */
  public enum Rerun {
    SAME_JVM,
    FRESH_JVM
  }
}
