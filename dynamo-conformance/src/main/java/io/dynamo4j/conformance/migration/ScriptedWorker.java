// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One worker process: takes requests, queues them, plays its scripts, stands still, dies. */
final class ScriptedWorker implements RequestHandler<PreprocessedRequest, LLMEngineOutput> {
  /** How long the wire waits for a worker that does not take a request in. */
  private static final long UNACKNOWLEDGED_NANOS = 5_000_000_000L;

  private final Fleet fleet;
  private final WorkerSetup setup;
  private final WorkerInstance instance;
  final Scheduler lane;
  private final List<ScriptRun> running = new ArrayList<>();
  private final Deque<ScriptRun> waiting = new ArrayDeque<>();
  private @Nullable ServedEndpoint endpoint;
  private boolean dead;
  private boolean frozen;

  ScriptedWorker(Fleet fleet, WorkerSetup setup, WorkerInstance instance) {
    this.fleet = fleet;
    this.setup = setup;
    this.instance = instance;
    this.lane = fleet.simulation.environment("worker-" + setup.name()).lanes().lane("scripts");
  }

  Fleet fleet() {
    return fleet;
  }

  WorkerSetup setup() {
    return setup;
  }

  void serve() {
    endpoint = fleet.serveScripts(instance, this);
  }

  boolean isFrozen() {
    return frozen;
  }

  /** A request is on its way. */
  void isAskedFor(Leg leg) {
    if (dead) {
      leg.refusal = ErrorType.CANNOT_CONNECT;
      leg.refusedNanos = leg.sentNanos;
    }
  }

  @Override
  public void handle(
      String requestId, PreprocessedRequest request, ResponseSink<LLMEngineOutput> sink) {
    Leg leg = fleet.current(requestId);
    ScriptRun run = new ScriptRun(this, leg, request, sink);
    if (frozen) {
      leg.refusal = ErrorType.CONNECTION_TIMEOUT;
      leg.refusedNanos = leg.sentNanos + UNACKNOWLEDGED_NANOS;
      lane.schedule(
          () -> sink.fail(new DynamoException(ErrorType.CONNECTION_TIMEOUT, "no acknowledgement")),
          UNACKNOWLEDGED_NANOS);
    } else if (setup.requestLimit() == 0 || running.size() < setup.requestLimit()) {
      begin(run);
    } else if (waiting.size() < setup.queueLimit()) {
      waiting.add(run);
    } else {
      refuse(leg, ErrorType.WORKER_OVERLOADED);
    }
  }

  private void begin(ScriptRun run) {
    Leg leg = run.leg();
    leg.received = view(run.request());
    List<Act> script = fleet.nextScript(setup.name());
    if (setup.refusal() != null) {
      leg.ending = WorkerEvents.refused(setup.refusal().toString());
      refuse(leg, setup.refusal());
    }
    leg.script = script;
    leg.startNanos = fleet.simulation.nowNanos();
    running.add(run);
    run.start(script);
  }

  private void refuse(Leg leg, ErrorType type) {
    leg.refusal = type;
    leg.refusedNanos = fleet.simulation.nowNanos();
    throw new DynamoException(type, "scripted refusal: type=" + type);
  }

  /** Returns the request as the worker sees it: routing names its rank where the mode does. */
  private ObjectNode view(PreprocessedRequest request) {
    ObjectNode json = RequestJson.write(request);
    if (fleet.recorded.setup().mode() == CaseSetup.Mode.KV) {
      json.withObject("/routing").put("dp_rank", 0);
      if (setup.prefill()) {
        json.withObject("/routing").put("prefill_dp_rank", 0);
      }
    }
    return json;
  }

  void ended(ScriptRun run) {
    running.remove(run);
    ScriptRun next = waiting.poll();
    if (next != null && !dead) {
      begin(next);
    }
  }

  /** Dies: streams break, nobody answers any more, and the record runs out. */
  void die() {
    if (dead) {
      return;
    }
    dead = true;
    long now = fleet.simulation.nowNanos();
    running.forEach(run -> run.leg().diedNanos = now);
    waiting.forEach(run -> refused(run, now));
    List.copyOf(running).forEach(ScriptRun::halt);
    Objects.requireNonNull(endpoint).abort();
    fleet.unregister(setup, instance, false);
  }

  private static void refused(ScriptRun run, long now) {
    run.leg().refusal = ErrorType.DISCONNECTED;
    run.leg().refusedNanos = now;
  }

  void freeze() {
    frozen = true;
    running.forEach(run -> run.leg().frozenNanos = fleet.simulation.nowNanos());
    fleet.unregister(setup, instance, false);
  }

  void thaw() {
    frozen = false;
    running.forEach(run -> run.leg().thawedNanos = fleet.simulation.nowNanos());
    List.copyOf(running).forEach(ScriptRun::goOn);
  }

  /** Leaves discovery; open streams go on. */
  void leave() {
    fleet.unregister(setup, instance, true);
  }
}
