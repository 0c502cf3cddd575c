// SPDX-License-Identifier: Apache-2.0
/**
 * Planes and a directory inside one process: for tests, for simulation, and for hosts whose workers
 * are objects rather than peers.
 *
 * <pre>{@code
 * InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
 * InMemoryRequestPlane<String, String> plane = InMemoryRequestPlane.create(environment);
 * WorkerInstance worker =
 *     WorkerInstance.builder(1, InMemoryRequestPlane.address("worker-1")).build();
 * ServedEndpoint served =
 *     plane.serve(
 *         worker,
 *         (requestId, request, sink) -> {
 *           sink.next("Hello, " + request);
 *           sink.complete();
 *         });
 * directory.register(worker);
 * }</pre>
 *
 * <p>They keep every promise of {@link io.dynamo4j.plane} that a network transport keeps, the
 * uncomfortable ones included: loss of events is possible, a broken endpoint loses frames, nothing
 * is called inline. No class here locks; each is safe on real threads and, given simulated lanes,
 * deterministic.
 */
@NullMarked
package io.dynamo4j.plane.memory;

import org.jspecify.annotations.NullMarked;
