// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.index;

import io.dynamo4j.testkit.search.FaultSpec;

/**
 * What goes wrong in an index scenario, by kind. Rates hold for one router until the faults end;
 * the others happen at a moment, in virtual milliseconds.
 */
final class IndexFaults {
  /** Envelopes lost, by probability. */
  static final String LOSE = "lose";

  /** Envelopes that arrive twice, by probability. */
  static final String REPEAT = "repeat";

  /** Envelopes late, with those after them, by probability. */
  static final String DELAY = "delay";

  /** Envelopes overtaken, by probability. */
  static final String OVERTAKE = "overtake";

  /** Last envelopes before silence that are lost, by probability. */
  static final String LOSE_LAST = "lose-last";

  /** Recovery queries refused, by probability. */
  static final String REFUSE = "refuse";

  /** Recovery answers broken off, by probability. */
  static final String BREAK = "break";

  /** Recovery answers that end without having begun, by probability. */
  static final String EMPTY = "empty";

  /** Recovery answers late, in milliseconds. */
  static final String LAG = "lag";

  /** A router starts late: trigger is the moment. */
  static final String LATE = "late";

  /** A router hears nothing of a worker and cannot ask it, for milliseconds. */
  static final String PART = "part";

  /** A worker dies and lives again after milliseconds; negative: never. */
  static final String KILL = "kill";

  /** A worker dies and another id takes its place after milliseconds. */
  static final String REPLACE = "replace";

  /** An engine empties its cache. */
  static final String CLEAR = "clear";

  /** A worker is unregistered for milliseconds and goes on meanwhile. */
  static final String SUSPEND = "suspend";

  /** A worker's last rank is left out of its record for milliseconds. */
  static final String SHRINK = "shrink";

  private IndexFaults() {}

  static FaultSpec rate(String kind, int router, double value) {
    return new FaultSpec(kind, "always", "router" + router, value);
  }

  static FaultSpec late(int router, long millis) {
    return new FaultSpec(LATE, "at" + millis, "router" + router, 0);
  }

  static FaultSpec part(int router, int worker, long atMillis, long forMillis) {
    return new FaultSpec(PART, "at" + atMillis, "router" + router + "-" + worker, forMillis);
  }

  static FaultSpec event(String kind, int worker, long atMillis, double forMillis) {
    return new FaultSpec(kind, "at" + atMillis, "worker" + worker, forMillis);
  }

  static long atNanos(FaultSpec fault) {
    return Long.parseLong(fault.trigger().substring(2)) * 1_000_000;
  }

  static int worker(FaultSpec fault) {
    return Integer.parseInt(fault.target().substring("worker".length()));
  }

  static boolean concerns(FaultSpec fault, int router) {
    return fault.target().equals("router" + router)
        || fault.target().startsWith("router" + router + "-");
  }

  /** Returns the worker that a partition separates from its router. */
  static int partedWorker(FaultSpec fault) {
    return Integer.parseInt(fault.target().substring(fault.target().indexOf('-') + 1));
  }
}
