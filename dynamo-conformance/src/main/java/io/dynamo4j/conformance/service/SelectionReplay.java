// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.service;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.MalformedCaseException;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.conformance.service.ServiceStep.Outcome;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.kvrouter.WorkerLoad;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Runs the calls of one case on the router under test and compares each answer. */
final class SelectionReplay {
  private final Replay replay;
  private final SelectionWorkers workers;
  private final SelectionChoices choices;
  private final SelectionBookings bookings;

  SelectionReplay(SelectionWorkers workers, Replay replay) {
    this.replay = replay;
    this.workers = workers;
    this.choices = new SelectionChoices(replay);
    this.bookings = new SelectionBookings(choices, replay);
  }

  void step(ServiceStep step, String where) {
    if (step.outcome() == Outcome.UNPARSED) {
      unparsed(step, where);
      return;
    }
    switch (step.call()) {
      case "POST /workers", "upsert_worker", "PATCH /workers/{id}" -> workers.upsert(step);
      case "DELETE /workers/{id}", "delete_worker" ->
          replay.same(where, step.outcome(), workers.delete(step));
      case "GET /workers", "GET /ready", "ready" -> workers.compareListed(step, where, replay);
      case "POST /select", "select" -> bookings.select(fleet(step), step, where);
      case "POST /select_and_reserve", "select_and_reserve" ->
          bookings.reserve(fleet(step), step, where);
      case "POST /reservations", "create_reservation" ->
          replay.same(where, step.outcome(), bookings.create(fleet(step), step));
      case "POST /reservations/{id}/prefill_complete", "prefill_complete" ->
          replay.same(where, step.outcome(), bookings.complete(workers.fleets(), step));
      case "POST /reservations/{id}/output_block", "add_output_block" ->
          replay.same(where, step.outcome(), bookings.addOutput(workers.fleets(), step));
      case "DELETE /reservations/{id}", "free_reservation" ->
          replay.same(where, step.outcome(), bookings.free(workers.fleets(), step));
      case "GET /loads", "loads" -> loads(step, where);
      case "POST /potential_loads", "potential_loads" ->
          choices.comparePotentialLoads(fleet(step), step, where);
      case "POST /overlap_scores", "overlap_scores" ->
          choices.compareOverlap(fleet(step), step, where);
      case "GET /health", "GET /dump", "GET /replica_sync/peers" -> {
        // What the service says of itself.
      }
      default -> throw new MalformedCaseException("call is unknown: call=" + step.call());
    }
    workers.settle();
  }

  private @Nullable SelectionFleet fleet(ServiceStep step) {
    return workers.fleet(step.partition());
  }

  /** A value out of range is refused here too; everything else never becomes a request. */
  private void unparsed(ServiceStep step, String where) {
    String text = step.result().path("error").asText() + step.result().path("message").asText();
    if (step.body().path("router_config_override").isObject()) {
      refused(where, text, () -> SelectionRequests.override(step.body()));
    } else if (step.body().has("decay_fraction")) {
      refused(where, text, () -> bookings.addOutput(workers.fleets(), step));
    }
  }

  private void refused(String where, String recorded, Runnable call) {
    try {
      call.run();
      replay.fault(where + ": recorded=" + recorded + ", ours=accepted");
    } catch (IllegalArgumentException refused) {
      String rule = String.valueOf(refused.getMessage()).split(": ", 2)[0];
      if (isOfConfig(rule) && !recorded.contains(rule)) {
        replay.fault(where + ": recorded=" + recorded + ", ours=" + refused.getMessage());
      }
    }
  }

  /** Returns whether a rule is one of the configuration, whose texts are the peer's. */
  private static boolean isOfConfig(String rule) {
    return rule.startsWith("overlap_") || rule.startsWith("router_") || rule.startsWith("prefill_");
  }

  private void loads(ServiceStep step, String where) {
    Set<String> recorded = new TreeSet<>();
    for (JsonNode partition : step.result()) {
      String name = ServiceCases.partition(partition);
      for (JsonNode row : Fields.array(partition, "loads")) {
        recorded.add(
            name
                + " "
                + ServiceCases.rank(row)
                + " "
                + Fields.integer(row, "potential_prefill_tokens")
                + " "
                + Fields.integer(row, "potential_decode_blocks")
                + " "
                + Fields.integer(row, "active_requests"));
      }
      recorded.add(
          name
              + " waiting "
              + Fields.integer(partition, "pending_count")
              + " "
              + Fields.integer(partition, "pending_isl_tokens"));
    }
    replay.same(where, recorded, ourLoads(step));
  }

  private Set<String> ourLoads(ServiceStep step) {
    Set<String> ours = new TreeSet<>();
    workers
        .fleets()
        .forEach(
            (name, fleet) -> {
              String[] parts = name.split(":", 2);
              if (fleet.workers().isEmpty() || !step.shows(parts[0], parts[1])) {
                return;
              }
              for (WorkerWithDpRank rank : fleet.slots().ranks()) {
                WorkerLoad load = fleet.router().load(rank);
                ours.add(
                    name
                        + " "
                        + rank
                        + " "
                        + load.prefillTokens()
                        + " "
                        + load.blocks()
                        + " "
                        + load.requests());
              }
              ours.add(
                  name
                      + " waiting "
                      + fleet.router().queueStatus().requests()
                      + " "
                      + fleet.router().queueStatus().promptTokens());
            });
    return ours;
  }

  /* --------------- What waits --------------- */

  /** Lets a request wait that the recording names only once it went. */
  void waitBefore(SelectionFleet fleet, ServiceStep queued) {
    bookings.wait(fleet, queued);
  }

  /** Compares where it went. */
  void compareWent(ServiceStep queued, String where) {
    bookings.compareWent(queued, where);
  }

  /** Gives up whoever the recording did not wait for any longer. */
  void giveUpWaiting() {
    bookings.giveUp();
  }
}
