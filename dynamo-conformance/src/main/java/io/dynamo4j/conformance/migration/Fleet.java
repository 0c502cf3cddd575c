// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A case's workers in virtual time, the records of who is there, and what reached whom. */
final class Fleet implements RequestPlane<PreprocessedRequest, LLMEngineOutput> {
  /** How long the record of a worker lasts that does not renew it. */
  private static final long RECORD_NANOS = 10_000_000_000L;

  private static final int IDS_OF_ONE_LIFE = 100;

  final MigrationCase recorded;
  final Simulation simulation;
  private final List<String> order;
  private final boolean framesSurvive;
  private final InMemoryWorkerDirectory aggregated = InMemoryWorkerDirectory.create();
  private final InMemoryWorkerDirectory prefill = InMemoryWorkerDirectory.create();
  private final InMemoryRequestPlane<PreprocessedRequest, LLMEngineOutput> plane;
  private final Map<String, ScriptedWorker> workers = new LinkedHashMap<>();
  private final Map<Long, String> names = new TreeMap<>();
  private final List<Leg> legs = new ArrayList<>();
  private final TreeMap<Long, Set<String>> registered = new TreeMap<>();
  private final Map<String, Integer> startedBy = new LinkedHashMap<>();
  private int started;
  private int lives;

  /**
   * Makes a fleet; workers in {@code order} get ascending ids.
   *
   * @param framesSurvive whether what a dying worker has sent still arrives
   */
  Fleet(MigrationCase recorded, Simulation simulation, List<String> order, boolean framesSurvive) {
    this.recorded = recorded;
    this.simulation = simulation;
    this.order = List.copyOf(order);
    this.framesSurvive = framesSurvive;
    this.plane =
        InMemoryRequestPlane.<PreprocessedRequest, LLMEngineOutput>builder(
                simulation.environment("plane"))
            .framesSurviveAbort(() -> framesSurvive)
            .build();
    recorded.workers().forEach(each -> spawn(each.name()));
  }

  InMemoryWorkerDirectory directory(boolean ofPrefill) {
    return ofPrefill ? prefill : aggregated;
  }

  boolean framesSurvive() {
    return framesSurvive;
  }

  /** Returns the workers that are registered for answers at a time. */
  Set<String> registeredAt(long nanos) {
    Map.Entry<Long, Set<String>> last = registered.floorEntry(nanos);
    return last == null ? Set.of() : last.getValue();
  }

  /** Returns whether a worker appeared between two moments. */
  boolean cameBetween(long fromNanos, long toNanos) {
    return registered.subMap(fromNanos, true, toNanos, true).entrySet().stream()
        .anyMatch(each -> !registeredAt(each.getKey() - 1).containsAll(each.getValue()));
  }

  String name(WorkerWithDpRank worker) {
    return Objects.requireNonNull(names.get(worker.workerId()));
  }

  /** Returns the id under which a worker has begun. */
  WorkerWithDpRank rank(String name) {
    return WorkerWithDpRank.of(order.indexOf(name) + 1L);
  }

  List<Leg> legs(String requestId) {
    return legs.stream().filter(each -> each.requestId.equals(requestId)).toList();
  }

  List<Leg> legs() {
    return List.copyOf(legs);
  }

  /** Does what the case does to a worker. */
  void operate(Operation operation) {
    ScriptedWorker worker = workers.get(operation.worker());
    switch (operation.verb()) {
      case "spawn" -> spawn(operation.worker());
      case "kill" -> Objects.requireNonNull(worker).die();
      case "stop" -> Objects.requireNonNull(worker).freeze();
      case "cont" -> Objects.requireNonNull(worker).thaw();
      default -> Objects.requireNonNull(worker).leave();
    }
  }

  void spawn(String name) {
    long id =
        order.indexOf(name)
            + 1L
            + (long) IDS_OF_ONE_LIFE * (workers.containsKey(name) ? ++lives : 0);
    WorkerInstance instance =
        WorkerInstance.builder(id, InMemoryRequestPlane.address(name + "-" + id))
            .kvBlockSize(recorded.setup().blockSize())
            .build();
    names.put(id, name);
    WorkerSetup setup = recorded.worker(name);
    ScriptedWorker worker = new ScriptedWorker(this, setup, instance);
    workers.put(name, worker);
    worker.serve();
    directory(setup.prefill()).register(instance);
    noteRegistered();
  }

  /** Takes a worker's record away, now or when it is not renewed any more. */
  void unregister(WorkerSetup setup, WorkerInstance instance, boolean now) {
    if (now) {
      directory(setup.prefill()).unregister(instance.workerId());
      noteRegistered();
    } else {
      simulation.controller().schedule(() -> unregister(setup, instance, true), RECORD_NANOS);
    }
  }

  private void noteRegistered() {
    Set<String> now = new TreeSet<>();
    aggregated.instances().forEach(each -> now.add(names.get(each.workerId())));
    registered.put(simulation.nowNanos(), now);
  }

  ServedEndpoint serveScripts(
      WorkerInstance instance, RequestHandler<PreprocessedRequest, LLMEngineOutput> handler) {
    return plane.serve(instance, handler);
  }

  /** Returns the leg that a request is on. */
  Leg current(String requestId) {
    List<Leg> all = legs(requestId);
    return all.get(all.size() - 1);
  }

  /** Returns the script of a worker's next dispatch. */
  List<Act> nextScript(String worker) {
    return recorded.script(started++, worker, startedBy.merge(worker, 1, Integer::sum) - 1);
  }

  // The plane as dispatchers see it.

  @Override
  public ResponseStream<LLMEngineOutput> send(
      WorkerInstance target, PreprocessedRequest request, Attempt attempt) {
    String name = Objects.requireNonNull(names.get(target.workerId()));
    Leg leg = new Leg(attempt.requestId(), attempt.number(), name, simulation.nowNanos());
    legs.add(leg);
    Objects.requireNonNull(workers.get(name)).isAskedFor(leg);
    return plane.send(target, request, attempt);
  }

  @Override
  public ServedEndpoint serve(
      WorkerInstance instance, RequestHandler<PreprocessedRequest, LLMEngineOutput> handler) {
    throw new UnsupportedOperationException("workers of a case follow scripts");
  }

  @Override
  public void close() {
    plane.close();
  }
}
