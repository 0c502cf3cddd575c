// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Plays a case through the library in virtual time and watches. */
final class OurRun {
  private static final long END_NANOS = 120_000_000_000L;
  private static final long MOMENT_NANOS = 1_000_000L;

  private final MigrationCase recorded;
  private final Choice choice;
  private final Fleet fleet;
  private final Gateway gateway;
  private final List<ClientRun> clients = new ArrayList<>();
  private final Scheduler controller;
  private final long firstRequestNanos;

  private OurRun(MigrationCase recorded, Choice choice) {
    this.recorded = recorded;
    this.choice = choice;
    Simulation simulation = Simulation.builder().seed(choice.seed()).build();
    this.controller = simulation.controller();
    this.fleet = new Fleet(recorded, simulation, choice.order(), choice.framesSurvive());
    this.gateway = new Gateway(fleet, choice.atRandom());
    long earliest = 0;
    for (Operation operation : recorded.operations()) {
      earliest = Math.min(earliest, operation.atNanos());
    }
    this.firstRequestNanos = MOMENT_NANOS - earliest;
    for (int i = 0; i < recorded.clients().size(); i++) {
      clients.add(new ClientRun(i, recorded, fleet, controller));
    }
  }

  static OurRun of(MigrationCase recorded, Choice choice) {
    OurRun run = new OurRun(recorded, choice);
    run.play();
    return run;
  }

  private void play() {
    for (Operation each : recorded.operations()) {
      controller.schedule(() -> fleet.operate(each), firstRequestNanos + each.atNanos());
    }
    for (String late : recorded.latecomers()) {
      controller.schedule(
          () -> fleet.spawn(late),
          Math.max(0, firstRequestNanos + recorded.firstUseNanos(late) - arrivalSlack(late)));
    }
    startFrom(0);
    fleet.simulation.runUntil(END_NANOS);
  }

  /** A worker that came late was there before the request that it served began. */
  private long arrivalSlack(String late) {
    long use = recorded.firstUseNanos(late);
    long slack = MOMENT_NANOS;
    for (ClientRun client : clients) {
      long start = client.setup().startNanos();
      if (start <= use) {
        slack = use - start + MOMENT_NANOS;
      }
    }
    return slack;
  }

  /** Clients that came after another had ended do so here too. */
  private void startFrom(int number) {
    if (number == clients.size()) {
      return;
    }
    ClientRun client = clients.get(number);
    boolean waits =
        number > 0
            && client.setup().startNanos() >= clients.get(number - 1).setup().recordedEndNanos();
    Runnable schedule =
        () ->
            controller.schedule(
                () -> client.start(gateway),
                Math.max(
                    0,
                    firstRequestNanos
                        + client.setup().startNanos()
                        - controller.clock().nanoTime()));
    if (waits) {
      clients.get(number - 1).whenOver(schedule);
    } else {
      schedule.run();
    }
    startFrom(number + 1);
  }

  MigrationCase recorded() {
    return recorded;
  }

  Choice choice() {
    return choice;
  }

  Fleet fleet() {
    return fleet;
  }

  List<ClientRun> clients() {
    return clients;
  }

  /** Returns how many requests the migrator ended that no client saw the end of. */
  private long cancelled() {
    return gateway.ended() - clients.stream().mapToLong(ClientRun::ends).sum();
  }

  Seen seen() {
    Map<String, Dispatches.OfRequest> byRequest = new LinkedHashMap<>();
    for (Leg leg : fleet.legs()) {
      ObjectNode received = leg.received;
      if (received != null) {
        Dispatches.OfRequest request =
            byRequest.computeIfAbsent(leg.requestId, id -> new Dispatches.OfRequest());
        request.shown().add(Dispatches.show(recorded, leg.worker, received));
        request.events().add(WorkerEvents.ours(leg));
      }
    }
    List<Dispatches.OfRequest> dispatches = Dispatches.inOrder(byRequest.values());
    List<Answer> answers = clients.stream().map(ClientRun::answer).toList();
    return new Seen(
        dispatches.stream().map(Dispatches.OfRequest::shown).toList(),
        dispatches.stream().map(Dispatches.OfRequest::events).toList(),
        answers,
        gateway.counters(),
        clients.stream().mapToLong(ClientRun::outputTokens).sum(),
        Outcomes.of(recorded, answers, cancelled()));
  }
}
