// SPDX-License-Identifier: Apache-2.0
/** Whole simulated fleets against the reference simulation of the same trace. */
@NullMarked
package io.dynamo4j.benchmarks.fleet;

import org.jspecify.annotations.NullMarked;
