// SPDX-License-Identifier: Apache-2.0
/** Hashing against hash4j. */
@NullMarked
package io.dynamo4j.benchmarks.hash;

import org.jspecify.annotations.NullMarked;
