// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.tree;

/**
 * One stored block.
 *
 * @param local hash of its content
 * @param external the engine's own hash
 */
public record Block(long local, long external) {}
