// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.plane;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.wire.ActiveSequenceBatch;
import io.dynamo4j.wire.ActiveSequenceCodec;
import io.dynamo4j.wire.ActiveSequenceEvent;
import io.dynamo4j.wire.AddedSequence;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Compares messages about active sequences with what was recorded as their meaning. */
final class ActiveSequences {

  private ActiveSequences() {}

  static void compare(JsonNode recorded, byte[] payload, Replay replay) {
    ActiveSequenceBatch batch = ActiveSequenceCodec.decode(payload);
    boolean isBatch = recorded.has("events");
    List<JsonNode> events = new ArrayList<>();
    if (isBatch) {
      Fields.array(recorded, "events").forEach(events::add);
    } else {
      events.add(recorded);
    }
    replay.same("rejected sequences", 0, batch.rejected());
    replay.same("sequences", events.size(), batch.events().size());
    if (events.size() != batch.events().size()) {
      return;
    }
    for (int i = 0; i < events.size(); i++) {
      compare(events.get(i), batch.events().get(i), replay);
    }
    byte[] back =
        isBatch
            ? ActiveSequenceCodec.encodeBatch(batch.events())
            : ActiveSequenceCodec.encode(batch.events().get(0));
    EventPlaneReader.same("sequences", payload, back, replay);
  }

  private static void compare(JsonNode recorded, ActiveSequenceEvent ours, Replay replay) {
    JsonNode worker = Fields.required(recorded, "worker");
    replay.same("request", Fields.text(recorded, "request_id"), ours.requestId());
    replay.same("worker", bits(worker, "worker_id"), ours.worker().workerId());
    replay.same("rank", (int) bits(worker, "dp_rank"), ours.worker().dpRank());
    replay.same("router", bits(recorded, "router_id"), ours.routerId());
    replay.same("lora", Fields.textOrEmpty(recorded, "lora_name"), lora(ours));
    JsonNode data = Fields.required(recorded, "data");
    replay.same("kind", data.isTextual() ? data.textValue() : data.fieldNames().next(), kind(ours));
    AddedSequence added = ours.added();
    if (added != null && data.isObject()) {
      compare(data.elements().next(), added, replay);
    }
  }

  private static void compare(JsonNode recorded, AddedSequence ours, Replay replay) {
    long[] hashes = ours.tokenSequence();
    replay.same("hashes told", !Fields.isAbsent(recorded, "token_sequence"), hashes != null);
    if (hashes != null) {
      replay.sameHashes("hashes", Fields.bitsArray(recorded, "token_sequence"), hashes);
    }
    replay.same(
        "tracks prefill",
        Fields.flag(recorded, "track_prefill_tokens", true),
        ours.trackPrefillTokens());
    replay.same(
        "expected output",
        optional(recorded, "expected_output_tokens"),
        known(ours.expectedOutputTokens()));
    replay.same(
        "prefill tokens",
        optional(recorded.path("prefill_load_hint"), "initial_effective_prefill_tokens"),
        known(ours.prefillTokens()));
  }

  private static String lora(ActiveSequenceEvent event) {
    String name = event.loraName();
    return name == null ? "" : name;
  }

  private static String kind(ActiveSequenceEvent event) {
    return event.kind().wireName();
  }

  private static OptionalLong known(long value) {
    return value < 0 ? OptionalLong.empty() : OptionalLong.of(value);
  }

  private static OptionalLong optional(JsonNode node, String name) {
    return Fields.isAbsent(node, name)
        ? OptionalLong.empty()
        : OptionalLong.of(Fields.bits(node.get(name)));
  }

  private static long bits(JsonNode node, String name) {
    return Fields.bits(Fields.required(node, name));
  }
}
