// SPDX-License-Identifier: Apache-2.0
/** What a migrator costs its streams, in time and in memory. */
@NullMarked
package io.dynamo4j.benchmarks.migration;

import org.jspecify.annotations.NullMarked;
