// SPDX-License-Identifier: Apache-2.0
/**
 * A whole fleet in virtual time: a gateway with migration and routing, the in-memory planes, mock
 * engines, clients that check every token, and workers that die in mid-stream.
 */
@NullMarked
package io.dynamo4j.simulation.fleet;

import org.jspecify.annotations.NullMarked;
