// SPDX-License-Identifier: Apache-2.0
/**
 * Recorded scenarios of prefix indexes, each run three times: through ours, through a plain exact
 * reference, and through a model of the recorded peer, faults included.
 *
 * <p>Ours must always equal the exact reference. Where the recorded answer is another, it must be
 * the one that the model computes from the scenario alone; then the peer is wrong in a known way.
 * Anything else is a failure.
 */
@NullMarked
package io.dynamo4j.conformance.tree;

import org.jspecify.annotations.NullMarked;
