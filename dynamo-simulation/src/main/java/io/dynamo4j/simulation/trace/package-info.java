// SPDX-License-Identifier: Apache-2.0
/** What arrives when: recorded and generated request traces, and the prompts they stand for. */
@NullMarked
package io.dynamo4j.simulation.trace;

import org.jspecify.annotations.NullMarked;
