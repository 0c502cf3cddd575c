// SPDX-License-Identifier: Apache-2.0
/**
 * A durable log and a store of snapshots in virtual time: a server on a node of its own that can go
 * away, keep answers to itself, forget readers and refuse more, and clients on the nodes of others.
 */
@NullMarked
package io.dynamo4j.testkit.durable;

import org.jspecify.annotations.NullMarked;
