// SPDX-License-Identifier: Apache-2.0
/**
 * The durable mode: KV events in a log that outlives routers and workers, and snapshots of what
 * they add up to, so that a router that starts alone knows what its predecessors knew.
 *
 * <p>{@link io.dynamo4j.indexer.durable.DurableKvPublisher} writes what one worker's engine
 * reports, {@link io.dynamo4j.indexer.durable.DurableKvBridge} what any other source of events
 * leads into an index; {@link io.dynamo4j.indexer.durable.DurableKvFeed} leads the log into a
 * router's index and looks after snapshots; {@link io.dynamo4j.indexer.durable.DurableLogWatch}
 * tells a router that reads no log who writes one.
 */
@NullMarked
package io.dynamo4j.indexer.durable;

import org.jspecify.annotations.NullMarked;
