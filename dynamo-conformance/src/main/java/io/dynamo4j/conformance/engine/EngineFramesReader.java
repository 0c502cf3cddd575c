// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.engine;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.NotOursRule;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.wire.EngineMessage;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** What the publishers of engines send, live and as replies to a replay, to its meaning. */
public final class EngineFramesReader implements CaseReader {

  /** Records of how many replies came, or that none did: no bytes of an engine in them. */
  public static final NotOursRule WITHOUT_MESSAGES =
      new NotOursRule(
          "engine-record-without-messages",
          content ->
              isOfEngine(content)
                  && !content.has("frames")
                  && !content.has("steps")
                  && !content.path("replay").path("dealer_receives_hex").isArray());

  @Override
  public String name() {
    return "engine-frames";
  }

  @Override
  public boolean reads(JsonNode content) {
    return isOfEngine(content) || isRaw(content);
  }

  private static boolean isOfEngine(JsonNode content) {
    return content.has("engine")
        && (content.has("frames") || content.has("replay") || content.has("steps"));
  }

  private static boolean isRaw(JsonNode content) {
    return content.has("endpoint")
        && content.has("frames")
        && (content.has("batch") || content.has("start"));
  }

  @Override
  public Replay replay(JsonNode content) {
    Replay replay = Replay.create();
    if (isRaw(content)) {
      replayRaw(content, replay);
      return replay;
    }
    for (JsonNode frame : content.path("frames")) {
      compare(published(frame), frame, replay);
    }
    for (JsonNode step : content.path("steps")) {
      for (JsonNode frame : step.path("frames")) {
        compare(frames(Fields.array(frame, "frames_hex")), frame, replay);
      }
      if (step.has("dealer_receives_hex")) {
        replies(Fields.array(step, "dealer_receives_hex"), replay);
      }
    }
    if (content.has("replay")) {
      replies(Fields.array(content.get("replay"), "dealer_receives_hex"), replay);
    }
    return replay;
  }

  /* --------------- Live --------------- */

  private static List<byte[]> published(JsonNode frame) {
    List<byte[]> frames = new ArrayList<>();
    for (String name : List.of("topic_hex", "seq_hex", "payload_hex")) {
      frames.add(HexFormat.of().parseHex(Fields.text(frame, name)));
    }
    return frames;
  }

  private static void compare(List<byte[]> frames, JsonNode recorded, Replay replay) {
    EngineMessage message = EngineMessage.ofPublished(frames);
    replay.same("sequence", Fields.bits(Fields.required(recorded, "seq")), message.sequence());
    new RecordedBatch(replay).compare(Fields.array(recorded, "decoded"), message.payload());
  }

  private static List<byte[]> frames(JsonNode hex) {
    List<byte[]> frames = new ArrayList<>();
    hex.forEach(each -> frames.add(HexFormat.of().parseHex(each.asText())));
    return frames;
  }

  /* --------------- Replayed --------------- */

  /** Replies continue each other up to one that ends the replay. */
  private static void replies(JsonNode replies, Replay replay) {
    RecordedBatch batch = new RecordedBatch(replay);
    long next = -1;
    for (int i = 0; i < replies.size(); i++) {
      EngineMessage message = EngineMessage.ofReplayed(frames(replies.get(i)));
      boolean isLast = i == replies.size() - 1;
      replay.same("replies[" + i + "] ends the replay", isLast, message.isEndOfReplay());
      if (!isLast) {
        if (i > 0) {
          replay.same("replies[" + i + "].sequence", next, message.sequence());
        }
        next = message.sequence() + 1;
        batch.read(message.payload());
      }
    }
  }

  private static void replayRaw(JsonNode content, Replay replay) {
    List<byte[]> frames = frames(Fields.array(content, "frames"));
    if (content.has("batch")) {
      EngineMessage message = EngineMessage.ofPublished(frames);
      replay.same("sequence", Fields.bits(content.get("sequence")), message.sequence());
      new RecordedBatch(replay).compare(content.get("batch"), message.payload());
      return;
    }
    EngineMessage message = EngineMessage.ofReplayed(frames);
    replay.same("ends the replay", Fields.isAbsent(content, "payload"), message.isEndOfReplay());
    if (!message.isEndOfReplay()) {
      new RecordedBatch(replay).compare(content.get("payload"), message.payload());
    }
  }
}
