// SPDX-License-Identifier: Apache-2.0
/**
 * Fleets in which everything works but what was planted, and whether a router's health names it.
 */
@NullMarked
package io.dynamo4j.simulation.health;

import org.jspecify.annotations.NullMarked;
