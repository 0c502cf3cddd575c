// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.plane;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.MalformedCaseException;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.wire.JsonValues;
import io.dynamo4j.wire.PayloadFormat;
import io.dynamo4j.wire.RecoveryQuery;
import io.dynamo4j.wire.RecoveryResponse;
import io.dynamo4j.wire.RecoveryResponseCodec;
import io.dynamo4j.wire.TcpRequestFrame;
import io.dynamo4j.wire.TwoPartFrame;
import io.dynamo4j.wire.WireFormatException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A router's query for missed events and the answer: to their meaning, and back to the bytes. */
public final class RecoveryReader implements CaseReader {
  private static final Pattern JSON_CODEC = Pattern.compile("\"payload_codec\": ?\"json\"");

  /** Two-part frames begin with the lengths of header and body and a checksum. */
  private static final int PART_LENGTHS = 24;

  @Override
  public String name() {
    return "recovery";
  }

  @Override
  public boolean reads(JsonNode content) {
    return content.path("path").asText().contains("worker_kv_query_source_")
        && (content.has("request_hex") || content.has("mode"));
  }

  @Override
  public Replay replay(JsonNode content) {
    Replay replay = Replay.create();
    if (content.has("mode")) {
      compareQuery(content.get("request"), queryOf(content.get("request")), replay);
      return replay;
    }
    JsonNode request = Fields.required(content, "request");
    byte[] bytes = HexFormat.of().parseHex(Fields.text(content, "request_hex"));
    byte[] body = bodyOfRequest(bytes);
    boolean isJson = JSON_CODEC.matcher(request.path("header_text").asText()).find();
    TcpRequestFrame frame = TcpRequestFrame.decode(bytes);
    replay.same("path", Fields.text(content, "path"), frame.path());
    RequestFlowReader.compareCall(content, frame, formatOf(isJson), replay);
    JsonNode frames = content.path("response").path("frames");
    compare(request.path("body"), body, frames, isJson, replay);
    return replay;
  }

  /** Compares the body of a query with its recorded meaning, then the frames of its answer. */
  static void compare(
      JsonNode recorded, byte[] body, JsonNode frames, boolean isJson, Replay replay) {
    RecoveryQuery query = tryDecode(isJson ? JsonValues.toMsgpack(body) : body);
    replay.same("query is understood", frames.size() > 0, query != null);
    if (query == null) {
      return;
    }
    compareQuery(recorded, query, replay);
    if (!isJson && isOfRouter(recorded)) {
      EventPlaneReader.same("query", body, query.encode(), replay);
    }
    for (JsonNode frame : frames) {
      TwoPartFrame parts = TwoPartFrame.decode(HexFormat.of().parseHex(Fields.text(frame, "hex")));
      RequestFlowReader.compareFrame(frame, parts, formatOf(isJson), replay);
      if (frame.path("body").has("data")) {
        compareAnswer(frame, isJson, replay);
      }
    }
  }

  private static PayloadFormat formatOf(boolean isJson) {
    return isJson ? PayloadFormat.JSON : PayloadFormat.MSGPACK;
  }

  /* --------------- Query --------------- */

  private static @Nullable RecoveryQuery tryDecode(byte[] body) {
    try {
      return RecoveryQuery.decode(body);
    } catch (WireFormatException e) {
      return null;
    }
  }

  /** Reads a query of which only the meaning was recorded. */
  private static RecoveryQuery queryOf(JsonNode request) {
    String json = request.toString().replaceAll("\"(\\d+)\"", "$1");
    RecoveryQuery query =
        RecoveryQuery.decode(JsonValues.toMsgpack(json.getBytes(StandardCharsets.UTF_8)));
    return RecoveryQuery.decode(query.encode());
  }

  private static boolean isOfRouter(JsonNode body) {
    return body.size() == 6;
  }

  private static void compareQuery(JsonNode recorded, RecoveryQuery query, Replay replay) {
    replay.same("worker", bits(recorded, "worker_id"), query.worker().workerId());
    replay.same("rank", (int) bits(recorded, "dp_rank"), query.worker().dpRank());
    replay.same("start", optional(recorded, "start_event_id"), query.startEventId());
    replay.same("end", optional(recorded, "end_event_id"), query.endEventId());
    replay.same(
        "supports failed dumps",
        Fields.flag(recorded, "supports_tree_dump_failed", false),
        query.supportsTreeDumpFailed());
  }

  private static byte[] bodyOfRequest(byte[] frame) {
    try {
      ByteBuffer in = ByteBuffer.wrap(frame);
      skip(in, Short.toUnsignedInt(in.getShort()));
      skip(in, Short.toUnsignedInt(in.getShort()));
      in.getInt();
      return bodyOfParts(Arrays.copyOfRange(frame, in.position(), frame.length));
    } catch (RuntimeException e) {
      throw new MalformedCaseException("request is no frame: bytes=" + frame.length, e);
    }
  }

  private static void skip(ByteBuffer in, int bytes) {
    in.position(in.position() + bytes);
  }

  private static byte[] bodyOfParts(byte[] parts) {
    int header = (int) ByteBuffer.wrap(parts).getLong();
    return Arrays.copyOfRange(parts, PART_LENGTHS + header, parts.length);
  }

  /* --------------- Answer --------------- */

  private static void compareAnswer(JsonNode frame, boolean isJson, Replay replay) {
    byte[] body = bodyOfParts(HexFormat.of().parseHex(Fields.text(frame, "hex")));
    JsonNode recorded = frame.get("body").get("data");
    byte[] data = dataOf(isJson ? JsonValues.toMsgpack(body) : body);
    RecoveryResponse answer = RecoveryResponseCodec.decode(data);
    compareAnswer(recorded, answer, replay);
    if (!isJson && !RecordedEvents.haveExtraInfo(recorded)) {
      EventPlaneReader.same("answer", data, RecoveryResponseCodec.encode(answer), replay);
    }
    byte[] viaJson = JsonValues.toMsgpack(JsonValues.toJson(RecoveryResponseCodec.encode(answer)));
    compareAnswer(recorded, RecoveryResponseCodec.decode(viaJson), replay);
  }

  private static void compareAnswer(JsonNode recorded, RecoveryResponse answer, Replay replay) {
    String kind = recorded.fieldNames().next();
    JsonNode content = recorded.get(kind);
    replay.same("kind", kind, kindOf(answer));
    if (answer instanceof RecoveryResponse.Events events) {
      replay.same("last id", bits(content, "last_event_id"), events.lastEventId());
      RecordedEvents.compare(content.get("events"), events.events(), replay);
    } else if (answer instanceof RecoveryResponse.TreeDump dump) {
      replay.same("last id", bits(content, "last_event_id"), dump.lastEventId());
      RecordedEvents.compare(content.get("events"), dump.events(), replay);
    } else if (answer instanceof RecoveryResponse.TreeDumpFailed failed) {
      replay.same("last id", bits(content, "last_event_id"), failed.lastEventId());
      replay.same("message", Fields.text(content, "message"), failed.message());
    } else if (answer instanceof RecoveryResponse.TooNew tooNew) {
      replay.same("start", optional(content, "requested_start"), tooNew.requestedStart());
      replay.same("end", optional(content, "requested_end"), tooNew.requestedEnd());
      replay.same("newest", bits(content, "newest_available"), tooNew.newestAvailable());
    } else if (answer instanceof RecoveryResponse.InvalidRange range) {
      replay.same("start", bits(content, "start_id"), range.startId());
      replay.same("end", bits(content, "end_id"), range.endId());
    } else if (answer instanceof RecoveryResponse.Failed failed) {
      replay.same("message", content.textValue(), failed.message());
    }
  }

  private static String kindOf(RecoveryResponse answer) {
    return answer instanceof RecoveryResponse.Failed ? "Error" : answer.getClass().getSimpleName();
  }

  /** Cuts the answer out of an item of a stream: {@code {data: answer, complete_final: false}}. */
  private static byte[] dataOf(byte[] item) {
    String hex = HexFormat.of().formatHex(item);
    String head = "a464617461";
    String tail = "ae636f6d706c6574655f66696e616cc2";
    int start = hex.indexOf(head);
    if (start < 0 || start > 10 || !hex.endsWith(tail)) {
      throw new MalformedCaseException("answer is no item: hex=" + hex);
    }
    return HexFormat.of()
        .parseHex(hex.substring(start + head.length(), hex.length() - tail.length()));
  }

  private static long bits(JsonNode node, String name) {
    return Fields.bits(Fields.required(node, name));
  }

  private static OptionalLong optional(JsonNode node, String name) {
    return Fields.isAbsent(node, name)
        ? OptionalLong.empty()
        : OptionalLong.of(Fields.bits(node.get(name)));
  }
}
