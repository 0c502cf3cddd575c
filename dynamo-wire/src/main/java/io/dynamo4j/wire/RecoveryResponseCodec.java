// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.wire.RecoveryResponse.Events;
import io.dynamo4j.wire.RecoveryResponse.Failed;
import io.dynamo4j.wire.RecoveryResponse.InvalidRange;
import io.dynamo4j.wire.RecoveryResponse.TooNew;
import io.dynamo4j.wire.RecoveryResponse.TreeDump;
import io.dynamo4j.wire.RecoveryResponse.TreeDumpFailed;
import io.dynamo4j.wire.WireFormatException.Reason;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Answers to recovery queries: a map of one entry that is named by what kind of answer it is.
 *
 * <p>Read is also the older list of events without a last number, which is then that of the last
 * event.
 *
 * <p><b>Threads.</b> Stateless.
 */
public final class RecoveryResponseCodec {
  private static final WireNames KINDS =
      WireNames.of("Events", "TreeDump", "TreeDumpFailed", "TooNew", "InvalidRange", "Error");
  private static final WireNames KEYS =
      WireNames.of(
          "events",
          "last_event_id",
          "message",
          "requested_start",
          "requested_end",
          "newest_available",
          "start_id",
          "end_id",
          "parts");

  private RecoveryResponseCodec() {}

  /* --------------- Writing --------------- */

  public static byte[] encode(RecoveryResponse response) {
    MsgpackWriter out = MsgpackWriter.ofExpectedSize(256).map(1);
    if (response instanceof Events events) {
      writeEvents(out.string("Events").map(2), events.events(), events.lastEventId());
    } else if (response instanceof TreeDump dump) {
      boolean isInParts = dump.parts() > 1;
      out.string("TreeDump").map(isInParts ? 4 : 3);
      writeEvents(out, dump.events(), dump.lastEventId());
      out.string("reset_scope").string("all");
      if (isInParts) {
        out.string("parts").unsigned(dump.parts());
      }
    } else if (response instanceof TreeDumpFailed failed) {
      out.string("TreeDumpFailed").map(2).string("last_event_id").unsigned(failed.lastEventId());
      out.string("message").string(failed.message());
    } else if (response instanceof TooNew tooNew) {
      out.string("TooNew").map(3);
      RecoveryQuery.write(tooNew.requestedStart(), out.string("requested_start"));
      RecoveryQuery.write(tooNew.requestedEnd(), out.string("requested_end"));
      out.string("newest_available").unsigned(tooNew.newestAvailable());
    } else if (response instanceof InvalidRange range) {
      out.string("InvalidRange").map(2).string("start_id").unsigned(range.startId());
      out.string("end_id").unsigned(range.endId());
    } else if (response instanceof Failed failed) {
      out.string("Error").string(failed.message());
    }
    return out.toByteArray();
  }

  private static void writeEvents(MsgpackWriter out, RouterEventBatch events, long lastEventId) {
    RouterEventCodec.write(events.events(), out.string("events"));
    out.string("last_event_id").unsigned(lastEventId);
  }

  /* --------------- Reading --------------- */

  /** Fields of any answer, as far as they are there. */
  private static final class Body {
    @Nullable RouterEventBatch events;
    OptionalLong lastEventId = OptionalLong.empty();
    OptionalLong requestedStart = OptionalLong.empty();
    OptionalLong requestedEnd = OptionalLong.empty();
    OptionalLong newestAvailable = OptionalLong.empty();
    OptionalLong startId = OptionalLong.empty();
    OptionalLong endId = OptionalLong.empty();
    String message = "";
    int parts = 1;
  }

  /**
   * Reads an answer. Events in it that cannot be used are counted and left out.
   *
   * @throws WireFormatException if it is of no known kind, lacks a field, is truncated or has bytes
   *     left over
   */
  public static RecoveryResponse decode(byte[] bytes) {
    MsgpackReader in = MsgpackReader.of(bytes);
    if (bytes.length > WireLimits.MAX_FRAME_BYTES) {
      throw in.fault(Reason.TOO_LARGE, "recovery response bytes " + bytes.length);
    }
    if (in.readMapHeader() != 1) {
      throw in.fault(Reason.MALFORMED, "recovery response");
    }
    String kind = in.readName(KINDS);
    RecoveryResponse response =
        kind.equals("Error") ? new Failed(in.readString()) : response(kind, readBody(in), in);
    if (in.hasRemaining()) {
      throw in.fault(Reason.TRAILING_BYTES, "recovery response");
    }
    return response;
  }

  private static RecoveryResponse response(String kind, Body body, MsgpackReader in) {
    return switch (kind) {
      case "Events" -> new Events(events(body, in), number(body.lastEventId, in));
      case "TreeDump" -> new TreeDump(events(body, in), number(body.lastEventId, in), body.parts);
      case "TreeDumpFailed" -> new TreeDumpFailed(number(body.lastEventId, in), body.message);
      case "TooNew" ->
          new TooNew(body.requestedStart, body.requestedEnd, number(body.newestAvailable, in));
      case "InvalidRange" -> new InvalidRange(number(body.startId, in), number(body.endId, in));
      default -> throw in.fault(Reason.MALFORMED, "kind of recovery response");
    };
  }

  private static Body readBody(MsgpackReader in) {
    Body body = new Body();
    if (in.nextKind() == MsgpackReader.Kind.ARRAY) {
      RouterEventBatch batch = RouterEventCodec.read(in);
      int count = batch.events().size();
      body.events = batch;
      body.lastEventId =
          OptionalLong.of(count == 0 ? 0 : batch.events().get(count - 1).event().eventId());
      return body;
    }
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      readField(in, body);
    }
    return body;
  }

  private static void readField(MsgpackReader in, Body body) {
    switch (in.readName(KEYS)) {
      case "events" -> body.events = RouterEventCodec.read(in);
      case "last_event_id" -> body.lastEventId = RecoveryQuery.read(in);
      case "message" -> body.message = in.readString();
      case "parts" -> body.parts = Math.max(1, in.readBits32());
      case "requested_start" -> body.requestedStart = RecoveryQuery.read(in);
      case "requested_end" -> body.requestedEnd = RecoveryQuery.read(in);
      case "newest_available" -> body.newestAvailable = RecoveryQuery.read(in);
      case "start_id" -> body.startId = RecoveryQuery.read(in);
      case "end_id" -> body.endId = RecoveryQuery.read(in);
      default -> in.skip();
    }
  }

  private static RouterEventBatch events(Body body, MsgpackReader in) {
    if (body.events == null) {
      throw in.fault(Reason.MALFORMED, "recovery response without events");
    }
    return body.events;
  }

  private static long number(OptionalLong value, MsgpackReader in) {
    if (value.isEmpty()) {
      throw in.fault(Reason.MALFORMED, "recovery response without a number");
    }
    return value.getAsLong();
  }
}
