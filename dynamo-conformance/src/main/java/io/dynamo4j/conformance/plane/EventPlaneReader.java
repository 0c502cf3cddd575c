// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.plane;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.wire.ActiveLoad;
import io.dynamo4j.wire.ActiveLoadCodec;
import io.dynamo4j.wire.ActiveSequenceCodec;
import io.dynamo4j.wire.EventEnvelopeCodec;
import io.dynamo4j.wire.PayloadFormat;
import io.dynamo4j.wire.RouterEventBatch;
import io.dynamo4j.wire.RouterEventCodec;
import io.dynamo4j.wire.ZmqEventMessage;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** A message of the event plane, over ZMQ or NATS: to its meaning, and back to the same bytes. */
public final class EventPlaneReader implements CaseReader {
  /** A version and the length of what follows. */
  private static final int DATA_HEADER_BYTES = 5;

  private static final String KV_EVENTS = "kv-events";

  @Override
  public String name() {
    return "event-plane";
  }

  @Override
  public boolean reads(JsonNode content) {
    return content.has("envelope") && (isZmq(content) || isNats(content));
  }

  private static boolean isZmq(JsonNode content) {
    return content.has("topic_frame") && content.has("frames");
  }

  private static boolean isNats(JsonNode content) {
    return content.has("subject") && content.has("hex");
  }

  @Override
  public Replay replay(JsonNode content) {
    Replay replay = Replay.create();
    EventEnvelope envelope = isZmq(content) ? zmq(content, replay) : nats(content, replay);
    JsonNode recorded = Fields.required(content, "envelope");
    replay.same("publisher", bits(recorded, "publisher_id"), envelope.publisherId());
    replay.same("sequence", bits(recorded, "sequence"), envelope.sequence());
    replay.same("time", bits(recorded, "published_at"), envelope.publishedAtMillis());
    replay.same("topic", Fields.text(recorded, "topic"), envelope.topic());
    RecordedMeaning.compare(
        "payload", content.path("payload"), envelope.payload(), PayloadFormat.MSGPACK, replay);
    if (envelope.topic().equals(KV_EVENTS)) {
      compare(Fields.required(content, "payload"), envelope.payload(), replay);
    } else if (envelope.topic().equals(ActiveSequenceCodec.TOPIC)) {
      ActiveSequences.compare(Fields.required(content, "payload"), envelope.payload(), replay);
    } else if (envelope.topic().equals(ActiveLoadCodec.TOPIC)) {
      compareLoad(Fields.required(content, "payload"), envelope.payload(), replay);
    }
    return replay;
  }

  private static void compareLoad(JsonNode recorded, byte[] payload, Replay replay) {
    ActiveLoad load = ActiveLoadCodec.decode(payload);
    replay.same("worker", bits(recorded, "worker_id"), load.worker().workerId());
    replay.same("rank", (int) bits(recorded, "dp_rank"), load.worker().dpRank());
    replay.same(
        "decode blocks", figure(recorded, "active_decode_blocks"), load.activeDecodeBlocks());
    replay.same(
        "prefill tokens", figure(recorded, "active_prefill_tokens"), load.activePrefillTokens());
    replay.same("used blocks", figure(recorded, "kv_used_blocks"), load.kvUsedBlocks());
    same("load", payload, ActiveLoadCodec.encode(load), replay);
  }

  private static long figure(JsonNode recorded, String name) {
    return Fields.isAbsent(recorded, name) ? ActiveLoad.UNKNOWN : bits(recorded, name);
  }

  private static EventEnvelope zmq(JsonNode content, Replay replay) {
    List<byte[]> frames = new ArrayList<>();
    Fields.array(content, "frames").forEach(frame -> frames.add(hex(frame)));
    ZmqEventMessage message = ZmqEventMessage.decode(frames);
    replay.same("filter", Fields.text(content, "topic_frame"), message.filter());
    compareHead(content, frames, replay);
    List<byte[]> back = message.encode();
    replay.same("frames", frames.size(), back.size());
    for (int i = 0; i < back.size(); i++) {
      same("frames[" + i + "]", frames.get(i), back.get(i), replay);
    }
    return message.envelope();
  }

  /** Compares what was recorded of the frames themselves. */
  private static void compareHead(JsonNode content, List<byte[]> frames, Replay replay) {
    ByteBuffer data = ByteBuffer.wrap(frames.get(frames.size() - 1));
    byte[] envelope = Arrays.copyOfRange(data.array(), DATA_HEADER_BYTES, data.capacity());
    RecordedMeaning.compareNumber("version", content, "version", data.get(0), replay);
    RecordedMeaning.compareNumber("length", content, "length", data.getInt(1), replay);
    RecordedMeaning.compare(
        "envelope", content.get("envelope"), envelope, PayloadFormat.MSGPACK, replay);
    if (frames.size() > 2) {
      RecordedMeaning.compareNumber(
          "publisher frame",
          content,
          "publisher_frame",
          ByteBuffer.wrap(frames.get(1)).getLong(),
          replay);
      RecordedMeaning.compareNumber(
          "sequence frame",
          content,
          "sequence_frame",
          ByteBuffer.wrap(frames.get(2)).getLong(),
          replay);
    }
  }

  private static EventEnvelope nats(JsonNode content, Replay replay) {
    byte[] bytes = hex(Fields.required(content, "hex"));
    RecordedMeaning.compare(
        "envelope", content.get("envelope"), bytes, PayloadFormat.MSGPACK, replay);
    EventEnvelope envelope = EventEnvelopeCodec.decode(bytes);
    same("message", bytes, EventEnvelopeCodec.encode(envelope), replay);
    replay.same(
        "subject ends with topic",
        true,
        Fields.text(content, "subject").endsWith("." + envelope.topic()));
    return envelope;
  }

  private static void compare(JsonNode recorded, byte[] payload, Replay replay) {
    RouterEventBatch batch = RouterEventCodec.decode(payload);
    RecordedEvents.compare(recorded, batch, replay);
    if (!RecordedEvents.haveExtraInfo(recorded)) {
      same("payload", payload, RouterEventCodec.encode(batch.events()), replay);
    }
  }

  private static long bits(JsonNode node, String name) {
    return Fields.bits(Fields.required(node, name));
  }

  private static byte[] hex(JsonNode text) {
    return HexFormat.of().parseHex(text.asText());
  }

  static void same(String what, byte[] recorded, byte[] ours, Replay replay) {
    if (!Arrays.equals(recorded, ours)) {
      replay.fault(
          what
              + " written back: recorded="
              + HexFormat.of().formatHex(recorded)
              + ", ours="
              + HexFormat.of().formatHex(ours));
    }
  }
}
