// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dynamo4j.core.testing.SharedData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Messages of real publishers, frame by frame. */
final class RecordedFrames {
  private RecordedFrames() {}

  /** Returns what publishers of every release have sent, three frames each. */
  static List<List<byte[]>> published() throws IOException {
    List<List<byte[]>> messages = new ArrayList<>();
    for (JsonNode root : files().values()) {
      for (JsonNode frames : root.findValues("frames")) {
        for (JsonNode message : frames) {
          if (message.has("payload_hex")) {
            messages.add(
                List.of(
                    hex(message.get("topic_hex")),
                    hex(message.get("seq_hex")),
                    hex(message.get("payload_hex"))));
          } else if (message.has("frames_hex")) {
            messages.add(frames(message.get("frames_hex")));
          }
        }
      }
    }
    return messages;
  }

  /** Returns the replies to each request for past batches that got any, by name. */
  static Map<String, List<List<byte[]>>> replayed() throws IOException {
    Map<String, List<List<byte[]>>> replays = new TreeMap<>();
    files()
        .forEach(
            (name, root) -> {
              for (JsonNode replies : root.findValues("dealer_receives_hex")) {
                List<List<byte[]>> each = new ArrayList<>();
                replies.forEach(reply -> each.add(frames(reply)));
                if (!each.isEmpty()) {
                  replays.put(name, each);
                }
              }
            });
    return replays;
  }

  private static Map<String, JsonNode> files() throws IOException {
    Map<String, JsonNode> files = new TreeMap<>();
    ObjectMapper json = new ObjectMapper();
    try (Stream<Path> paths = Files.list(SharedData.golden("engine-frames"))) {
      for (Path path : paths.filter(p -> p.toString().endsWith(".json")).toList()) {
        files.put(path.getFileName().toString(), json.readTree(path.toFile()));
      }
    }
    return files;
  }

  static List<byte[]> frames(JsonNode list) {
    List<byte[]> frames = new ArrayList<>();
    list.forEach(each -> frames.add(hex(each)));
    return frames;
  }

  private static byte[] hex(JsonNode text) {
    return HexFormat.of().parseHex(text.asText());
  }
}
