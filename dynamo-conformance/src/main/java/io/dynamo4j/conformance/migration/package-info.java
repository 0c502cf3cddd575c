// SPDX-License-Identifier: Apache-2.0
/** Recorded failures of workers, replayed through the migrator with scripted workers. */
@NullMarked
package io.dynamo4j.conformance.migration;

import org.jspecify.annotations.NullMarked;
