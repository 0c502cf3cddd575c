// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.kvrouter.ActiveBlockTracker;
import io.dynamo4j.migration.ReplayAdapter;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.ResponseStream;

/**
 * The public seams of a fleet, where a scenario may put something between: a fault, a ledger that
 * checks, or a planted bug. By default nothing.
 */
public interface FleetSeams {

  /** Between everything in the gateway and its time, lanes and chance. */
  default Environment gateway(Environment environment) {
    return environment;
  }

  /** Between dispatchers and workers. */
  default RequestPlane<PreprocessedRequest, LLMEngineOutput> requests(
      RequestPlane<PreprocessedRequest, LLMEngineOutput> plane) {
    return plane;
  }

  /** Between workers' events and the index. */
  default EventPlane events(EventPlane plane) {
    return plane;
  }

  /** Between the migrator and the tokens in requests and items. */
  default ReplayAdapter<PreprocessedRequest, LLMEngineOutput> adapter(
      ReplayAdapter<PreprocessedRequest, LLMEngineOutput> adapter) {
    return adapter;
  }

  /** Between the migrator and the dispatcher. */
  default RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher(
      RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher) {
    return dispatcher;
  }

  /** Between the router and its bookings. */
  default ActiveBlockTracker tracker(ActiveBlockTracker tracker) {
    return tracker;
  }

  /** Between events and lookups on one side and the index on the other. */
  default KvIndexer indexer(KvIndexer indexer) {
    return indexer;
  }

  /** Between the client and the migrator. */
  default ResponseStream<LLMEngineOutput> answer(
      PreprocessedRequest request, ResponseStream<LLMEngineOutput> stream) {
    return stream;
  }
}
