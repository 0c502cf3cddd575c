// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.indexer.TieredOverlap;
import org.jspecify.annotations.Nullable;

/**
 * What a decision needs of a prompt, got without a lock.
 *
 * @param sequenceHashes of the full blocks, empty where nobody needs them; never written again
 * @param overlap who holds how much of it, null where nobody was asked
 * @param localHashes of the same blocks where the index learns from decisions, else empty
 * @param config by which the request is routed
 */
@SuppressWarnings("ArrayRecordComponent") // package-private and never compared
record Prompt(
    long[] sequenceHashes,
    @Nullable TieredOverlap overlap,
    long[] localHashes,
    KvRouterConfig config) {}
