// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.RecoveryTargets;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.WorkerDirectory;
import org.jspecify.annotations.Nullable;

/**
 * What one gateway speaks to its workers by.
 *
 * @param requests where it sends
 * @param events where workers tell what they cache
 * @param directory who is registered
 * @param recovery how it learns of events that it missed; null if none can be missed
 */
public record GatewayPlanes(
    RequestPlane<PreprocessedRequest, LLMEngineOutput> requests,
    EventPlane events,
    WorkerDirectory directory,
    @Nullable Recovery recovery) {
  /** Where workers publish and answer. */
  public static final EventScope.Endpoint SCOPE =
      new EventScope.Endpoint("dynamo", "backend", "generate");

  /**
   * How missed events are asked for.
   *
   * @param queries carries questions
   * @param targets says where each rank answers
   * @param environment whose time the feed's patience is counted in
   */
  public record Recovery(
      RequestPlane<byte[], byte[]> queries, RecoveryTargets targets, Environment environment) {}

  KvEventFeed connect(KvIndexer index, Environment gateway) {
    if (recovery == null) {
      return KvEventFeed.connect(events, SCOPE, directory, index, gateway);
    }
    return KvEventFeed.builder()
        .eventPlane(events, SCOPE)
        .directory(directory)
        .indexer(index)
        .environment(recovery.environment())
        .recovery(recovery.queries(), recovery.targets())
        .connect();
  }
}
