// SPDX-License-Identifier: Apache-2.0
/**
 * Planes that fail on purpose: decorators of the plane contracts, told what to do by a plan that is
 * either drawn from a seed or an explicit list.
 *
 * <p>A plan decides by identity, never by how much it was asked before, so that taking one fault
 * away leaves the others where they were.
 */
@NullMarked
package io.dynamo4j.testkit.fault;

import org.jspecify.annotations.NullMarked;
