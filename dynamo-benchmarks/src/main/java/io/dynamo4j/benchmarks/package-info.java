// SPDX-License-Identifier: Apache-2.0
/**
 * Benchmarks, each against a reference measured in the same run: the program behind its command.
 */
@NullMarked
package io.dynamo4j.benchmarks;

import org.jspecify.annotations.NullMarked;
