// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.kvrouter.ActiveBlockTracker;
import io.dynamo4j.migration.ReplayAdapter;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.simulation.fleet.FleetPolicy;
import io.dynamo4j.simulation.fleet.FleetSeams;

/**
 * Puts ledger and faults into a fleet, each on the worker's side of whatever else stands at the
 * same seam, so that a bug planted there is seen.
 */
final class LedgerSeams implements FleetSeams {
  private final FleetSeams outer;
  private final Ledger ledger;
  private final FaultBook faults;
  private final FleetPolicy policy;
  private final Scheduler network;

  LedgerSeams(
      FleetSeams outer, Ledger ledger, FaultBook faults, FleetPolicy policy, Scheduler network) {
    this.outer = outer;
    this.ledger = ledger;
    this.faults = faults;
    this.policy = policy;
    this.network = network;
  }

  @Override
  public Environment gateway(Environment environment) {
    return outer.gateway(
        new Environment(
            new CountingLanes(environment.lanes(), ledger),
            environment.wallClock(),
            environment.random()));
  }

  @Override
  public RequestPlane<PreprocessedRequest, LLMEngineOutput> requests(
      RequestPlane<PreprocessedRequest, LLMEngineOutput> plane) {
    return outer.requests(new FaultingRequestPlane(plane, faults, ledger, policy.books(), network));
  }

  @Override
  public EventPlane events(EventPlane plane) {
    return outer.events(plane);
  }

  @Override
  public ReplayAdapter<PreprocessedRequest, LLMEngineOutput> adapter(
      ReplayAdapter<PreprocessedRequest, LLMEngineOutput> adapter) {
    return outer.adapter(adapter);
  }

  @Override
  public RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher(
      RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher) {
    return outer.dispatcher(new LedgerDispatcher(dispatcher, ledger));
  }

  @Override
  public ActiveBlockTracker tracker(ActiveBlockTracker tracker) {
    return outer.tracker(new LedgerTracker(tracker, ledger));
  }

  @Override
  public KvIndexer indexer(KvIndexer indexer) {
    return outer.indexer(indexer);
  }

  @Override
  public ResponseStream<LLMEngineOutput> answer(
      PreprocessedRequest request, ResponseStream<LLMEngineOutput> stream) {
    return outer.answer(request, stream);
  }
}
