// SPDX-License-Identifier: Apache-2.0
/**
 * Who is registered: a fixed list, or the files that Dynamo's processes keep.
 *
 * <pre>{@code
 * FileDiscovery discovery = FileDiscovery.builder(environment, root).namespace("dynamo").build();
 * WorkerDirectory workers = discovery.workers();
 *
 * discovery.registerWorker(
 *     new EventScope.Endpoint("dynamo", "backend", "generate"),
 *     instance,
 *     ModelFolder.of(Path.of("/models/tiny"), "tiny"));
 * }</pre>
 */
@NullMarked
package io.dynamo4j.discovery;

import org.jspecify.annotations.NullMarked;
