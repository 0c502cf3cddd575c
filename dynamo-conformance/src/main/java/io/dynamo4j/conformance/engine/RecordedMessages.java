// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.engine;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.conformance.plane.RecordedMeaning;
import io.dynamo4j.wire.PayloadFormat;
import io.dynamo4j.wire.ZmqEventMessage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Compares what was recorded of an engine's message and of those published of it with the bytes.
 */
final class RecordedMessages {

  /** A version and the length of what follows. */
  private static final int DATA_HEADER_BYTES = 5;

  private RecordedMessages() {}

  static void compare(JsonNode content, Replay replay) {
    List<byte[]> engine = bytes(Fields.array(content, "engine_frames"));
    if (engine.size() > 2) {
      RecordedMeaning.compare(
          "engine's batch",
          content.path("engine_batch"),
          engine.get(2),
          PayloadFormat.MSGPACK,
          replay);
    }
    for (JsonNode message : Fields.array(content, "published")) {
      List<byte[]> frames = bytes(message.path("frames"));
      byte[] data = frames.get(frames.size() - 1);
      byte[] envelope = Arrays.copyOfRange(data, DATA_HEADER_BYTES, data.length);
      RecordedMeaning.compare(
          "published envelope", message.path("envelope"), envelope, PayloadFormat.MSGPACK, replay);
      byte[] payload = ZmqEventMessage.decode(frames).envelope().payload();
      RecordedMeaning.compare(
          "published events", message.path("payload"), payload, PayloadFormat.MSGPACK, replay);
    }
  }

  private static List<byte[]> bytes(JsonNode hex) {
    List<byte[]> frames = new ArrayList<>();
    hex.forEach(each -> frames.add(HexFormat.of().parseHex(each.asText())));
    return frames;
  }
}
