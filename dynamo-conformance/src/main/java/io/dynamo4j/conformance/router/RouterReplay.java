// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.router;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.MalformedCaseException;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.kvrouter.RequestLease;

/** Runs the steps of one case and judges each recorded result. */
final class RouterReplay {
  private final RouterSetup setup;
  private final Replay replay;
  private final OurRouter ours;
  private final EventViews views;
  private final DecisionCheck decisions;
  private final LoadCheck loads;
  private final IndexCheck index;
  private final QueueCheck queue;

  RouterReplay(RouterSetup setup, Replay replay) {
    this.setup = setup;
    this.replay = replay;
    this.ours = new OurRouter(setup);
    this.views = new EventViews(setup, ours.indexer(), ours::nowNanos);
    this.queue = new QueueCheck(ours, replay);
    this.decisions = new DecisionCheck(setup, ours, views, replay, queue);
    this.loads = new LoadCheck(setup, ours, views, replay);
    this.index = new IndexCheck(setup, ours, views, replay);
  }

  void step(JsonNode step, String where) {
    String operation = Fields.text(step, "op");
    switch (operation) {
      case "stored" -> views.stored(step);
      case "removed" -> views.removed(step);
      case "batch" -> batch(step);
      case "best" -> decisions.best(step, where);
      case "generate" -> decisions.generate(step, where);
      case "loads" -> loads.compare(step, Fields.array(step, "result"), where);
      case "overlap" -> index.overlap(step, where);
      case "dump" -> index.dump(step, where);
      case "submit" -> queue.submit(step, where);
      case "mark" -> mark(step, where);
      case "free" -> free(step, where);
      case "sleep" -> ours.sleep(step.path("s").asDouble());
      default -> prose(operation, step, where);
    }
    ours.settle();
    replay.same(where + ": bookings", ours.leaseCount(), ours.router().bookingCount());
  }

  /** The recorded publisher refuses what it does not know before it sends anything. */
  private void batch(JsonNode step) {
    if (step.path("result").has("error")) {
      return;
    }
    for (JsonNode event : Fields.array(step, "events")) {
      switch (Fields.text(event, "type")) {
        case "stored" -> views.stored(event);
        case "removed" -> views.removed(event);
        default -> throw Fields.wrong("stored or removed", "type", event);
      }
    }
  }

  private void mark(JsonNode step, String where) {
    JsonNode result = Fields.required(step, "result");
    String id = Fields.textOrEmpty(step, "id");
    sameBooking(result.path(result.has("call") ? "call" : "error"), id, where);
    ours.markPrefillCompleted(id);
    if (result.has("then_admitted")) {
      queue.compareAdmitted(step, where);
    }
  }

  private void free(JsonNode step, String where) {
    String id = Fields.text(step, "id");
    sameBooking(step.path("result").path("error"), id, where);
    ours.free(id);
  }

  private void sameBooking(JsonNode error, String id, String where) {
    boolean recorded = error.isMissingNode() || error.asText().equals("ok");
    replay.same(where + ": is booked", recorded, ours.isBooked(id));
  }

  /* --------------- Operations that the recording tells in words --------------- */

  private void prose(String operation, JsonNode step, String where) {
    JsonNode result = Fields.required(step, "result");
    if (operation.startsWith("generate 18 prompt tokens")) {
      growth(operation, result, where);
    } else if (operation.equals("generate started")) {
      ours.keep("stream", ours.book(Prompts.request("stream", 0, 16), null));
      loads.compareForeign(result, where);
    } else if (operation.equals("first token")) {
      ours.markPrefillCompleted("stream");
      loads.compareForeign(result, where);
    } else if (operation.startsWith("iterator dropped by the consumer")) {
      ours.free("stream");
      loads.compareForeign(Fields.array(result, "loads"), where);
    } else if (operation.startsWith("generate a running; b(no), c(jump 5), d(jump .01)")) {
      queue.priorities(result, where);
    } else {
      decisions.hints(operation, step, where);
    }
  }

  /** Eighteen tokens of prompt; what a prompt of four others would find after each token. */
  private void growth(String operation, JsonNode result, String where) {
    String expected = operation.replaceFirst(".*expected_output_tokens=([^;]*);.*", "$1");
    RequestLease lease = ours.book(Prompts.growing("growing", expected), null);
    ours.keep("growing", lease);
    int last = Integer.parseInt(operation.replaceFirst(".*, (\\d+) output tokens.*", "$1"));
    for (JsonNode row : result) {
      String moment = row.path(0).asText();
      if (moment.equals("after 1 output tokens")) {
        lease.markPrefillCompleted();
      }
      if (moment.startsWith("after")) {
        lease.addOutputTokens(1);
      }
      if (moment.equals("after " + last + " output tokens") || moment.startsWith("end")) {
        ours.free("growing");
      }
      loads.compareForeign(row.path(1), where + " " + moment);
    }
    ours.free("growing");
    if (setup.workers().size() != 1) {
      throw new MalformedCaseException("growth is told of one worker: step=" + operation);
    }
  }
}
