// SPDX-License-Identifier: Apache-2.0
/**
 * The worker's side of KV events: numbers them, publishes them, and answers routers that miss some.
 */
@NullMarked
package io.dynamo4j.indexer.source;

import org.jspecify.annotations.NullMarked;
