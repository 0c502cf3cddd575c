// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.service;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.conformance.service.ServiceStep.Outcome;
import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.kvrouter.BookingKey;
import io.dynamo4j.kvrouter.RequestLease;
import io.dynamo4j.kvrouter.SchedulingRequest;
import io.dynamo4j.kvrouter.WorkerSelectionResult;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Bookings from their choice to their end, against what was recorded. */
final class SelectionBookings {
  private final SelectionChoices choices;
  private final Replay replay;

  /** Selections that a reservation may still name, by partition and id. */
  private final Map<String, ServiceStep> pending = new LinkedHashMap<>();

  private final Map<String, Waiting> waiting = new LinkedHashMap<>();

  private record Waiting(SelectionFleet fleet, CompletableFuture<RequestLease> lease) {}

  SelectionBookings(SelectionChoices choices, Replay replay) {
    this.choices = choices;
    this.replay = replay;
  }

  /* --------------- Choices --------------- */

  void select(@Nullable SelectionFleet fleet, ServiceStep step, String where) {
    if (fleet == null || fleet.workers().isEmpty()) {
      replay.same(where, step.outcome(), Outcome.UNAVAILABLE);
      return;
    }
    if (!SelectionRequests.isTold(step.body())) {
      replay.same(where, step.outcome(), Outcome.INVALID);
      return;
    }
    if (!step.isDone()) {
      expectRefusal(fleet, step, where);
      return;
    }
    choices.compare(fleet, step, where, override -> choose(fleet, step.body(), override));
    String id = Fields.textOrEmpty(step.body(), "selection_id");
    if (step.body().has("selection_id")) {
      pending.put(step.partition() + " " + id, step);
    }
  }

  private WorkerSelectionResult choose(SelectionFleet fleet, JsonNode body, boolean override) {
    if (!SelectionRequests.hasTokens(body)) {
      return Objects.requireNonNull(SelectionChoices.chooseByHashes(fleet, body), "choice");
    }
    return fleet.router().query(withSession(fleet, "query", body, override));
  }

  private static SchedulingRequest withSession(
      SelectionFleet fleet, String id, JsonNode body, boolean override) {
    SchedulingRequest request = SelectionChoices.request(id, body, override);
    String session = Fields.textOrEmpty(body, "session_id");
    if (session.isEmpty()) {
      return request;
    }
    RoutingHints routing = fleet.sessions().routing(session, request.routing());
    return SchedulingRequest.builder(id, request.tokenIds())
        .routing(routing)
        .configOverride(request.configOverride())
        .build();
  }

  private void expectRefusal(SelectionFleet fleet, ServiceStep step, String where) {
    fleet.selector().want(null);
    try {
      WorkerSelectionResult chosen = choose(fleet, step.body(), true);
      replay.fault(where + ": recorded=" + step.result() + ", ours=" + chosen);
    } catch (DynamoException refused) {
      boolean isKnown = step.outcome() == Outcome.UNAVAILABLE || step.outcome() == Outcome.INVALID;
      replay.same(where, isKnown, refused.errorType() == ErrorType.UNAVAILABLE);
    }
  }

  void reserve(@Nullable SelectionFleet fleet, ServiceStep step, String where) {
    if (fleet == null || fleet.workers().isEmpty()) {
      replay.same(where, step.outcome(), Outcome.UNAVAILABLE);
      return;
    }
    if (step.outcome() == Outcome.CONFLICT) {
      expectConflict(fleet, step, where);
      return;
    }
    if (!step.isDone()) {
      expectRefusal(fleet, step, where);
      return;
    }
    if (step.result().isTextual()) {
      replay.same(where, step.result().asText(), "pending");
      wait(fleet, Fields.text(step.body(), "selection_id"), step.body());
      return;
    }
    choices.compare(fleet, step, where, override -> choose(fleet, step.body(), override));
    replay.sameHashes(
        where + " hashes",
        Fields.bitsArray(step.result(), "sequence_hashes"),
        SelectionRequests.sequenceHashes(step.body(), fleet.blockSize()));
    replay.same(
        where + " prompt",
        Fields.integer(step.result(), "isl_tokens"),
        SelectionRequests.promptTokens(step.body()));
    book(fleet, step, where);
  }

  private void book(SelectionFleet fleet, ServiceStep step, String where) {
    String id = Fields.text(step.result(), "selection_id");
    WorkerWithDpRank recorded = ServiceCases.rank(step.result());
    fleet.selector().want(recorded);
    CompletableFuture<RequestLease> lease =
        fleet.router().select(withSession(fleet, id, step.body(), true)).toCompletableFuture();
    fleet.settle();
    RequestLease got = lease.getNow(null);
    if (got == null) {
      replay.fault(where + ": recorded=" + recorded + ", ours=waits");
      return;
    }
    replay.same(where + " booked", recorded, got.worker());
    fleet.sessions().went(got.worker());
    fleet.keep(id, got);
  }

  private void expectConflict(SelectionFleet fleet, ServiceStep step, String where) {
    String id = Fields.text(step.body(), "selection_id");
    try {
      fleet.router().trySelect(SelectionChoices.request(id, step.body(), true)).close();
      replay.fault(where + ": recorded=" + step.result() + ", ours=booked");
    } catch (DynamoException refused) {
      replay.same(where, ErrorType.DUPLICATE_REQUEST, refused.errorType());
    }
  }

  /* --------------- What waits --------------- */

  /** Lets a request wait of which only its hashes and length were recorded. */
  void wait(SelectionFleet fleet, ServiceStep queued) {
    int[] tokens = new int[Fields.integer(queued.result(), "isl_tokens")];
    SchedulingRequest request =
        SchedulingRequest.builder(
                Fields.text(queued.result(), "selection_id"), TokenSlice.wrap(tokens))
            .build();
    wait(fleet, request);
  }

  private void wait(SelectionFleet fleet, String id, JsonNode body) {
    wait(fleet, SelectionChoices.request(id, body, true));
  }

  private void wait(SelectionFleet fleet, SchedulingRequest request) {
    fleet.selector().want(null);
    CompletableFuture<RequestLease> lease = fleet.router().select(request).toCompletableFuture();
    fleet.settle();
    replay.same(request.key() + " waits", true, !lease.isDone());
    waiting.put(request.key().requestId(), new Waiting(fleet, lease));
  }

  void giveUp() {
    waiting.forEach((id, each) -> each.fleet().router().cancel(new BookingKey(id, 0)));
    waiting.values().forEach(each -> each.fleet().settle());
    waiting.clear();
  }

  void compareWent(ServiceStep queued, String where) {
    String id = Fields.text(queued.result(), "selection_id");
    Waiting went = waiting.remove(id);
    RequestLease lease = went == null ? null : went.lease().getNow(null);
    if (went == null || lease == null) {
      replay.fault(where + ": recorded=" + queued.result() + ", ours=waits");
      return;
    }
    replay.same(where, ServiceCases.rank(queued.result()), lease.worker());
    replay.same(
        where + " blocks",
        queued.result().path("potential_decode_blocks").asLong(-1),
        lease.selection().potentialDecodeBlocks());
    went.fleet().keep(id, lease);
  }

  /* --------------- Reservations --------------- */

  /** Books what the caller has chosen: by an earlier selection, or on a worker that it names. */
  Outcome create(@Nullable SelectionFleet fleet, ServiceStep step) {
    JsonNode body = step.body();
    String id = Fields.text(body, "selection_id");
    if (Fields.isAbsent(body, "worker_id")) {
      ServiceStep selected = pending.remove(step.partition() + " " + id);
      if (fleet == null || selected == null) {
        return Outcome.NOT_FOUND;
      }
      return book(
          fleet,
          id,
          ServiceCases.rank(selected.result()),
          selected.body(),
          Fields.integer(selected.result(), "effective_prefill_tokens"));
    }
    boolean counts = Fields.flag(body, "track_prefill_tokens", true);
    boolean isTold = counts && !Fields.isAbsent(body, "effective_prefill_tokens");
    return fleet == null
        ? Outcome.NOT_FOUND
        : book(
            fleet,
            id,
            new WorkerWithDpRank(Fields.bits(body.get("worker_id")), body.path("dp_rank").asInt()),
            body,
            isTold ? Fields.integer(body, "effective_prefill_tokens") : 0);
  }

  private static Outcome book(
      SelectionFleet fleet, String id, WorkerWithDpRank rank, JsonNode body, int prefillTokens) {
    if (!fleet.slots().has(rank)) {
      return Outcome.NOT_FOUND;
    }
    try {
      fleet
          .slots()
          .book(id, rank, SelectionRequests.sequenceHashes(body, fleet.blockSize()), prefillTokens);
      return Outcome.DONE;
    } catch (DynamoException refused) {
      return refused.errorType() == ErrorType.DUPLICATE_REQUEST
          ? Outcome.CONFLICT
          : Outcome.UNAVAILABLE;
    }
  }

  Outcome complete(Map<String, SelectionFleet> fleets, ServiceStep step) {
    SelectionFleet fleet = holder(fleets, step.id());
    if (fleet == null) {
      return Outcome.NOT_FOUND;
    }
    fleet.markPrefillCompleted(step.id());
    return Outcome.DONE;
  }

  /**
   * Adds a block to a reservation.
   *
   * @throws IllegalArgumentException if its fraction is out of range
   */
  Outcome addOutput(Map<String, SelectionFleet> fleets, ServiceStep step) {
    SelectionFleet fleet = holder(fleets, step.id());
    if (fleet == null) {
      return Outcome.NOT_FOUND;
    }
    if (Fields.isAbsent(step.body(), "decay_fraction")) {
      fleet.slots().addOutputBlock(step.id());
    } else {
      fleet.slots().addOutputBlock(step.id(), step.body().get("decay_fraction").asDouble());
    }
    return Outcome.DONE;
  }

  Outcome free(Map<String, SelectionFleet> fleets, ServiceStep step) {
    SelectionFleet fleet = holder(fleets, step.id());
    if (fleet == null) {
      return Outcome.NOT_FOUND;
    }
    fleet.free(step.id());
    return Outcome.DONE;
  }

  private static @Nullable SelectionFleet holder(Map<String, SelectionFleet> fleets, String id) {
    for (SelectionFleet fleet : fleets.values()) {
      if (fleet.isBooked(id)) {
        return fleet;
      }
    }
    return null;
  }
}
