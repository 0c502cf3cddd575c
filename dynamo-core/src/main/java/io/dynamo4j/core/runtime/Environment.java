// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.runtime;

import java.time.InstantSource;
import java.util.Objects;

/**
 * Everything a component may take from outside: lanes, wall time and chance.
 *
 * @param lanes where work runs
 * @param wallClock calendar time, for stamps that leave the process; never for durations
 * @param random root of this component's chance
 */
public record Environment(Lanes lanes, InstantSource wallClock, RandomSource random) {

  public Environment {
    Objects.requireNonNull(lanes, "lanes");
    Objects.requireNonNull(wallClock, "wallClock");
    Objects.requireNonNull(random, "random");
  }
}
