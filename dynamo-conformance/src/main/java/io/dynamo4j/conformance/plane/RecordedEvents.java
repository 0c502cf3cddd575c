// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.plane;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.wire.RouterEventBatch;
import java.util.ArrayList;
import java.util.List;

/** Compares lists of events with what was recorded as their meaning. */
final class RecordedEvents {

  private RecordedEvents() {}

  static void compare(JsonNode recorded, RouterEventBatch ours, Replay replay) {
    replay.same("rejected events", 0, ours.rejected());
    List<String> expected = new ArrayList<>();
    recorded.forEach(event -> expected.add(line(event)));
    replay.same("events", expected, ours.events().stream().map(RecordedEvents::line).toList());
  }

  /** Returns whether some block carries what this library does not keep. */
  static boolean haveExtraInfo(JsonNode recorded) {
    return recorded.findValues("mm_extra_info").stream().anyMatch(info -> !info.isNull());
  }

  private static String line(JsonNode recorded) {
    JsonNode event = Fields.required(recorded, "event");
    return unsigned(recorded, "worker_id")
        + " "
        + unsigned(event, "event_id")
        + " "
        + PublishedEvent.of(recorded);
  }

  private static String unsigned(JsonNode node, String name) {
    return Long.toUnsignedString(Fields.bits(Fields.required(node, name)));
  }

  private static String line(RouterEvent event) {
    return Long.toUnsignedString(event.workerId())
        + " "
        + Long.toUnsignedString(event.event().eventId())
        + " "
        + PublishedEvent.of(event);
  }
}
