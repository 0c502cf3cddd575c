// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;

/**
 * What gateway and workers meet on.
 *
 * @param serving where workers answer
 * @param requests where the gateway sends
 * @param events where workers tell what they cache
 * @param directory who is registered
 */
record FleetPlanes(
    InMemoryRequestPlane<PreprocessedRequest, LLMEngineOutput> serving,
    RequestPlane<PreprocessedRequest, LLMEngineOutput> requests,
    EventPlane events,
    InMemoryWorkerDirectory directory) {
  static final EventScope SCOPE = GatewayPlanes.SCOPE;
  static final String KV_EVENTS = "kv-events";

  /** Returns what a gateway sees of it. */
  GatewayPlanes gateway() {
    return new GatewayPlanes(requests, events, directory, null);
  }
}
