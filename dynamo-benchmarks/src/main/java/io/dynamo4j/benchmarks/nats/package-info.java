// SPDX-License-Identifier: Apache-2.0
/**
 * Events from a NATS server into the index, and starts from a snapshot, against the bare client.
 */
@NullMarked
package io.dynamo4j.benchmarks.nats;

import org.jspecify.annotations.NullMarked;
