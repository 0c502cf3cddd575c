// SPDX-License-Identifier: Apache-2.0
/**
 * Which worker holds which prefix: the index of KV blocks.
 *
 * <p>Shared inside the family only; hosts meet it behind {@code io.dynamo4j.indexer.KvIndexer}.
 */
@NullMarked
package io.dynamo4j.core.tree;

import org.jspecify.annotations.NullMarked;
