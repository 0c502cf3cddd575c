// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.wire.EventEnvelopeCodec;
import io.dynamo4j.wire.JsonMaps;
import io.dynamo4j.wire.RouterEventBatch;
import io.dynamo4j.wire.RouterEventCodec;
import io.dynamo4j.wire.WireFormatException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an entry of the log says: an envelope of the event plane, whose publisher is the writer and
 * whose sequence is the writer's number of the entry. Its payload is {@code kv-events} as on the
 * plane, or what routers agree on, a small JSON object.
 */
sealed interface LogRecord {
  String EVENTS_TOPIC = "kv-events";
  String CONTROL_TOPIC = "kv-log-control";

  /** What happened to caches, each rank's events numbered by the writer from 1. */
  record Events(long writerId, List<RouterEvent> events) implements LogRecord {
    public Events {
      events = List.copyOf(events);
    }
  }

  /** A router wants to write the next snapshot; the first claim of a term wins. */
  record Claim(long routerId, long term) implements LogRecord {}

  /** Everything before this entry is void. */
  record Reset(long routerId) implements LogRecord {}

  /** Returns the entry's payload. */
  static byte[] encode(LogRecord record, long writerId, long number, long nowMillis) {
    boolean isEvents = record instanceof Events;
    return EventEnvelopeCodec.encode(
        EventEnvelope.of(
            writerId,
            number,
            nowMillis,
            isEvents ? EVENTS_TOPIC : CONTROL_TOPIC,
            record instanceof Events events
                ? RouterEventCodec.encode(events.events())
                : control(record)));
  }

  private static byte[] control(LogRecord record) {
    Map<String, Object> fields = new LinkedHashMap<>();
    if (record instanceof Claim claim) {
      fields.put("kind", "claim");
      fields.put("router", claim.routerId());
      fields.put("term", claim.term());
    } else if (record instanceof Reset reset) {
      fields.put("kind", "reset");
      fields.put("router", reset.routerId());
    }
    return JsonMaps.write(fields).getBytes(StandardCharsets.UTF_8);
  }

  /** Returns what an entry says, null if it is none of ours. */
  static @Nullable LogRecord decode(byte[] payload) {
    try {
      EventEnvelope envelope = EventEnvelopeCodec.decode(payload);
      if (envelope.topic().equals(EVENTS_TOPIC)) {
        RouterEventBatch batch = RouterEventCodec.decode(envelope.payload());
        return new Events(envelope.publisherId(), batch.events());
      }
      return envelope.topic().equals(CONTROL_TOPIC) ? control(envelope.payload()) : null;
    } catch (WireFormatException foreign) {
      return null;
    }
  }

  private static @Nullable LogRecord control(byte[] payload) {
    Map<String, @Nullable Object> fields = JsonMaps.read(payload);
    if (fields == null
        || !(fields.get("kind") instanceof String kind)
        || !(fields.get("router") instanceof Long router)) {
      return null;
    }
    if (kind.equals("claim") && fields.get("term") instanceof Long term) {
      return new Claim(router, term);
    }
    return kind.equals("reset") ? new Reset(router) : null;
  }
}
