// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.engine;

/**
 * How the worker that relays an engine's events was set up.
 *
 * @param blockSize tokens a block
 * @param imageToken the token that stands for images, below 0 for none
 */
record EngineConfig(int blockSize, long imageToken) {}
