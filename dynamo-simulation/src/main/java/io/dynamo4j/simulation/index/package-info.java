// SPDX-License-Identifier: Apache-2.0
/**
 * Indexes of several routers against the engines' real caches, while events and answers are lost,
 * repeated, late and out of order and workers come and go.
 */
@NullMarked
package io.dynamo4j.simulation.index;

import org.jspecify.annotations.NullMarked;
