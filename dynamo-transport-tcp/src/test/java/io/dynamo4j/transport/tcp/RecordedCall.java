// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dynamo4j.core.testing.SharedData;
import io.dynamo4j.wire.PayloadFormat;
import io.dynamo4j.wire.RequestControl;
import io.dynamo4j.wire.TcpRequestFrame;
import io.dynamo4j.wire.TwoPartFrame;
import io.dynamo4j.wire.WireFormatException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/** A call between Dynamo's own processes, as it went over their sockets. */
final class RecordedCall {
  private static final HexFormat HEX = HexFormat.of();

  /** Of long answers the first frames and the last ones say everything. */
  private static final int MOST_FRAMES = 8;

  private final byte[] request;
  private final byte[] reply;
  private final List<byte[]> answer;
  private final PayloadFormat format;

  private RecordedCall(JsonNode call) {
    this.request = bytes(call.path("request_hex"));
    this.reply = bytes(call.path("ack_hex"));
    this.format = format(request);
    List<byte[]> frames = new ArrayList<>();
    for (JsonNode frame : call.path("response").path("frames")) {
      if (frame.path("dir").asText().equals("worker->caller")) {
        frames.add(bytes(frame.path("hex")));
      }
    }
    int surplus = frames.size() - MOST_FRAMES;
    if (surplus > 0) {
      frames.subList(MOST_FRAMES / 2, MOST_FRAMES / 2 + surplus).clear();
    }
    this.answer = List.copyOf(frames);
  }

  private static PayloadFormat format(byte[] request) {
    try {
      TwoPartFrame payload = TcpRequestFrame.decode(request).payload();
      return RequestControl.decode(payload.header()).format();
    } catch (WireFormatException unknown) {
      return PayloadFormat.MSGPACK;
    }
  }

  private static byte[] bytes(JsonNode hex) {
    return HEX.parseHex(hex.asText("").replace("null", ""));
  }

  /** Returns every call that was recorded; ends the calling test where the records are absent. */
  static List<RecordedCall> all() throws IOException {
    List<RecordedCall> calls = new ArrayList<>();
    ObjectMapper json = new ObjectMapper();
    try (Stream<Path> files = Files.list(SharedData.golden("wire/request-tcp"))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".jsonl")).sorted().toList()) {
        for (String line : Files.readAllLines(file)) {
          calls.add(new RecordedCall(json.readTree(line)));
        }
      }
    }
    return calls;
  }

  /** Returns what went to the worker; empty if it was not seen. */
  byte[] request() {
    return request;
  }

  /** Returns what the worker replied on the same connection; empty if that was not seen. */
  byte[] reply() {
    return reply;
  }

  /** Returns the frames of the worker's own connection: handshake, prologue, items, sentinel. */
  List<byte[]> answer() {
    return answer;
  }

  PayloadFormat format() {
    return format;
  }
}
