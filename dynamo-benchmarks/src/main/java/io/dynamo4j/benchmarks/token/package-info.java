// SPDX-License-Identifier: Apache-2.0
/** The token accumulator against a plain array. */
@NullMarked
package io.dynamo4j.benchmarks.token;

import org.jspecify.annotations.NullMarked;
