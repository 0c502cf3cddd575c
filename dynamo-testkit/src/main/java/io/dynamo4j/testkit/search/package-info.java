// SPDX-License-Identifier: Apache-2.0
/**
 * Finds seeds that break an invariant, reduces them, and checks that runs repeat.
 *
 * <p>A scenario is a {@link io.dynamo4j.testkit.search.ScenarioSpec}: a seed, sizes and an explicit
 * list of faults. Whoever wires a fleet writes one {@link
 * io.dynamo4j.testkit.search.ScenarioRunner}; the rest of this package is generic.
 */
@NullMarked
package io.dynamo4j.testkit.search;

import org.jspecify.annotations.NullMarked;
