// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.plane;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.core.model.CompletionUsage;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.wire.GenerateItemCodec;
import io.dynamo4j.wire.GenerateRequestCodec;
import io.dynamo4j.wire.IndexQuery;
import io.dynamo4j.wire.PayloadFormat;
import io.dynamo4j.wire.PeerError;
import io.dynamo4j.wire.PeerFailureException;
import io.dynamo4j.wire.RequestControl;
import io.dynamo4j.wire.ResponseControl;
import io.dynamo4j.wire.ResponseItem;
import io.dynamo4j.wire.TcpRequestFrame;
import io.dynamo4j.wire.TwoPartFrame;
import io.dynamo4j.wire.WireFormatException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A call over the TCP request plane: request, control and body to their meaning and back, then each
 * frame of the answer. What ours cannot read, the recorded peer did not answer.
 */
public final class RequestFlowReader implements CaseReader {

  /** What an endpoint is for. */
  enum Kind {
    GENERATE,
    INDEX,
    OTHER;

    /** Returns the kind of the endpoint at a path or subject. */
    static Kind of(String path) {
      String endpoint = path.substring(Math.max(path.lastIndexOf('/'), path.lastIndexOf('.')) + 1);
      if (endpoint.equals("generate") || endpoint.startsWith("generate-")) {
        return GENERATE;
      }
      return endpoint.startsWith(IndexQuery.ENDPOINT) ? INDEX : OTHER;
    }
  }

  @Override
  public String name() {
    return "request-flow";
  }

  @Override
  public boolean reads(JsonNode content) {
    String kind = content.path("kind").asText();
    return (kind.equals("call") && content.has("request_hex") && !isQuery(content))
        || (kind.equals("response-only") && content.has("response"));
  }

  private static boolean isQuery(JsonNode content) {
    return content.path("path").asText().contains("worker_kv_query_source_");
  }

  @Override
  public Replay replay(JsonNode content) {
    Replay replay = Replay.create();
    RequestControl control = null;
    Kind kind = content.has("path") ? Kind.of(Fields.text(content, "path")) : Kind.GENERATE;
    if (content.has("request_hex")) {
      control = request(content, kind, replay);
    }
    JsonNode frames = content.path("response").path("frames");
    if (content.has("request_hex") && control == null) {
      replay.same("answered although unreadable", 0, frames.size());
    }
    answer(frames, control, kind, replay);
    return replay;
  }

  /* --------------- Request --------------- */

  private static @Nullable RequestControl request(JsonNode content, Kind kind, Replay replay) {
    byte[] bytes = hex(content, "request_hex");
    TcpRequestFrame frame;
    try {
      frame = TcpRequestFrame.decode(bytes);
    } catch (WireFormatException unreadable) {
      return null;
    }
    RequestControl control;
    try {
      control = RequestControl.decode(frame.payload().header());
    } catch (WireFormatException unreadable) {
      // Which format was meant stands in what cannot be read: some bodies nobody could read.
      if (!content.at("/request/body").has("$undecodable")) {
        compareCall(content, frame, formatOf(frame.payload().body()), replay);
      }
      return null;
    }
    replay.same("path", Fields.text(content, "path"), frame.path());
    byte[] header = frame.payload().header();
    compareCall(content, frame, control.format(), replay);
    if (isCompact(content)) {
      EventPlaneReader.same("control", header, control.encode(), replay);
    }
    EventPlaneReader.same(
        "request",
        bytes,
        TcpRequestFrame.encode(frame.path(), frame.headers(), header, frame.payload().body()),
        replay);
    byte[] body = frame.payload().body();
    if (kind == Kind.GENERATE) {
      compareBody(content.at("/request/body"), body, control, replay);
    } else if (kind == Kind.INDEX) {
      byte[] msgpack = control.format().toMsgpack(body);
      JsonNode frames = content.path("response").path("frames");
      IndexFlow.compareQuery(content.at("/request/body"), msgpack, frames, replay);
    }
    return control;
  }

  /** Compares what was recorded of a call's frame, in whole, with the frame. */
  static void compareCall(
      JsonNode content, TcpRequestFrame frame, PayloadFormat format, Replay replay) {
    RecordedMeaning.compareText("headers", content, "headers_text", frame.headers(), replay);
    byte[] header = frame.payload().header();
    byte[] body = frame.payload().body();
    long bytes = TwoPartFrame.PREFIX_BYTES + header.length + (long) body.length;
    RecordedMeaning.compareNumber("payload bytes", content, "payload_len", bytes, replay);
    compareParts(content.path("request"), header, body, format, replay);
  }

  /** Compares what was recorded of a request's two parts, in whole, with the parts. */
  static void compareParts(
      JsonNode recorded, byte[] header, byte[] body, PayloadFormat format, Replay replay) {
    RecordedMeaning.compareNumber("header bytes", recorded, "header_len", header.length, replay);
    RecordedMeaning.compareNumber("body bytes", recorded, "body_len", body.length, replay);
    RecordedMeaning.compareText("control", recorded, "header_text", header, replay);
    RecordedMeaning.compare("body", recorded.path("body"), body, format, replay);
  }

  /** Recorded callers of our own put blanks into their JSON. */
  private static boolean isCompact(JsonNode content) {
    return content.at("/request/header_text").asText().startsWith("{\"id\":\"");
  }

  static void compareBody(JsonNode recorded, byte[] body, RequestControl control, Replay replay) {
    if (!recorded.path("token_ids").isArray()) {
      return;
    }
    byte[] msgpack = control.format().toMsgpack(body);
    PreprocessedRequest request = GenerateRequestCodec.decode(control.requestId(), 1, msgpack);
    compareBody(recorded, request, replay);
    byte[] back = GenerateRequestCodec.encode(request);
    PreprocessedRequest again =
        GenerateRequestCodec.decode(
            control.requestId(),
            1,
            PayloadFormat.JSON.toMsgpack(PayloadFormat.JSON.fromMsgpack(back)));
    compareBody(recorded, again, replay);
    replay.same("rest written back", request.extensions(), carried(request, again));
  }

  /** What was carried, without the empty lists and maps that ours adds. */
  private static Map<String, Object> carried(
      PreprocessedRequest request, PreprocessedRequest again) {
    Map<String, Object> carried = new LinkedHashMap<>(again.extensions());
    carried.keySet().retainAll(request.extensions().keySet());
    return carried;
  }

  private static void compareBody(JsonNode recorded, PreprocessedRequest request, Replay replay) {
    int[] tokens = Fields.tokens(recorded, "token_ids");
    replay.same("tokens", Arrays.toString(tokens), Arrays.toString(request.tokenIds().toArray()));
    replay.same("model", recorded.path("model").asText(), request.model());
    JsonNode stop = recorded.path("stop_conditions");
    replay.same(
        "max tokens", stop.path("max_tokens").asLong(-1), request.stopConditions().maxTokens());
    replay.same(
        "ignores end", stop.path("ignore_eos").asBoolean(), request.stopConditions().ignoreEos());
    WorkerWithDpRank pinned = request.routing().pinnedWorker();
    replay.same(
        "rank",
        recorded.path("routing").path("dp_rank").asInt(-1),
        pinned == null ? -1 : pinned.dpRank());
  }

  /* --------------- Answer --------------- */

  static void answer(JsonNode frames, @Nullable RequestControl control, Kind kind, Replay replay) {
    int headers = 0;
    for (JsonNode frame : frames) {
      boolean isWorkers = frame.path("dir").asText().startsWith("worker");
      TwoPartFrame parts = TwoPartFrame.decode(hex(frame, "hex"));
      PayloadFormat format = control == null ? formatOf(parts.body()) : control.format();
      compareFrame(frame, parts, format, replay);
      if (parts.header().length == 0) {
        item(frame.path("body"), parts.body(), format, kind, replay);
      } else if (isWorkers && headers++ < 2) {
        opening(headers, parts.header(), frame, control, replay);
      } else {
        word(parts.header(), frame, replay);
      }
    }
  }

  /** Compares what was recorded of a frame of an answer, in whole, with the frame. */
  static void compareFrame(
      JsonNode frame, TwoPartFrame parts, PayloadFormat format, Replay replay) {
    RecordedMeaning.compareText("header", frame, "header_text", parts.header(), replay);
    RecordedMeaning.compare("item", frame.path("body"), parts.body(), format, replay);
  }

  private static PayloadFormat formatOf(byte[] body) {
    return body.length > 0 && body[0] == '{' ? PayloadFormat.JSON : PayloadFormat.MSGPACK;
  }

  private static void opening(
      int number, byte[] header, JsonNode frame, @Nullable RequestControl control, Replay replay) {
    if (number == 1) {
      String subject = ResponseControl.readHandshake(header);
      if (control != null) {
        replay.same("subject", control.subject(), subject);
      }
      EventPlaneReader.same("handshake", header, ResponseControl.handshake(subject), replay);
    } else {
      PeerError refusal = ResponseControl.readPrologue(header);
      String text = Fields.text(frame, "header_text");
      replay.same("refuses", !text.contains("\"error\":null"), refusal != null);
      if (refusal == null) {
        EventPlaneReader.same("prologue", header, ResponseControl.prologue(null), replay);
      }
    }
  }

  private static void word(byte[] header, JsonNode frame, Replay replay) {
    String text = Fields.text(frame, "header_text");
    if (text.startsWith("\"")) {
      String word = ResponseControl.readWord(header);
      replay.same("word", text, "\"" + word + "\"");
      EventPlaneReader.same("word", header, ResponseControl.word(word), replay);
    }
  }

  private static void item(
      JsonNode recorded, byte[] body, PayloadFormat format, Kind kind, Replay replay) {
    JsonNode data = recorded.path("data");
    boolean isFinal = recorded.path("complete_final").asBoolean();
    ResponseItem item;
    try {
      item = ResponseItem.decode(format.toMsgpack(body));
    } catch (WireFormatException unreadable) {
      boolean isEmpty = (data.isMissingNode() || data.isNull()) && !isFinal;
      replay.same("unreadable frame says something", true, isEmpty);
      return;
    }
    replay.same("final", isFinal, item.isFinal());
    replay.same("has data", data.isObject(), item.hasData());
    if (recorded.size() == 1 && format == PayloadFormat.MSGPACK) {
      EventPlaneReader.same("end", body, ResponseItem.encodeFinal(), replay);
    }
    if (kind == Kind.GENERATE && item.hasData()) {
      output(data, item, replay);
    } else if (kind == Kind.INDEX && item.hasData()) {
      IndexFlow.compareAnswer(data, item, replay);
    }
  }

  private static void output(JsonNode recorded, ResponseItem item, Replay replay) {
    LLMEngineOutput output;
    try {
      output = GenerateItemCodec.decode(item.bytes(), item.dataStart(), item.dataEnd());
    } catch (PeerFailureException failure) {
      replay.same("error", "error", recorded.path("event").asText());
      return;
    } catch (WireFormatException unreadable) {
      replay.same("readable item", false, recorded.at("/data/token_ids").isArray());
      return;
    }
    compare(recorded, output, replay);
    byte[] back = GenerateItemCodec.encode(output);
    compare(recorded, GenerateItemCodec.decode(back, 0, back.length), replay);
  }

  private static void compare(JsonNode recorded, LLMEngineOutput output, Replay replay) {
    JsonNode data = recorded.path("data");
    int[] tokens = data.has("token_ids") ? Fields.tokens(data, "token_ids") : new int[0];
    replay.same("tokens", Arrays.toString(tokens), Arrays.toString(output.tokenIds().toArray()));
    FinishReason reason = output.finishReason();
    JsonNode finish = data.path("finish_reason");
    String expected = finish.isObject() ? "error" : finish.isTextual() ? finish.asText() : "";
    replay.same("finish reason", expected, reason == null ? "" : reason.wireName());
    JsonNode usage = data.path("completion_usage");
    CompletionUsage counted = output.usage();
    replay.same(
        "usage",
        usage.path("completion_tokens").asLong(-1),
        counted == null ? -1L : counted.completionTokens());
  }

  private static byte[] hex(JsonNode node, String name) {
    return HexFormat.of().parseHex(Fields.text(node, name));
  }
}
