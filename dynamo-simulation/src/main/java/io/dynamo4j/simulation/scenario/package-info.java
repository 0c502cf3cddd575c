// SPDX-License-Identifier: Apache-2.0
/**
 * Searches for wrong behaviour of a whole fleet: a scenario drawn from a seed, faults as an
 * explicit list, a ledger that knows the truth, and oracles that share no code with what they
 * judge.
 */
@NullMarked
package io.dynamo4j.simulation.scenario;

import org.jspecify.annotations.NullMarked;
