// SPDX-License-Identifier: Apache-2.0
/** Routing policies against each other, and against recorded runs, in virtual time. */
@NullMarked
package io.dynamo4j.benchmarks.policy;

import org.jspecify.annotations.NullMarked;
