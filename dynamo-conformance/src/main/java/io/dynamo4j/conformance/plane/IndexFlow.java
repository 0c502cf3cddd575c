// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.plane;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.wire.IndexAnswer;
import io.dynamo4j.wire.IndexQuery;
import io.dynamo4j.wire.ResponseItem;
import io.dynamo4j.wire.WireFormatException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** A question to a served index and its answer: to their meaning, and back to the same bytes. */
final class IndexFlow {

  private IndexFlow() {}

  /** Compares a question; one that ours cannot read is one that the peer did not answer. */
  static void compareQuery(JsonNode recorded, byte[] msgpack, JsonNode frames, Replay replay) {
    IndexQuery query;
    try {
      query = IndexQuery.decode(msgpack);
    } catch (WireFormatException unreadable) {
      replay.same("answered although unreadable", 0, frames.size());
      return;
    }
    replay.same("model", Fields.text(recorded, "model_name"), query.modelName());
    replay.sameHashes("hashes", Fields.bitsArray(recorded, "block_hashes"), query.blockHashes());
    replay.same("device only", Fields.flag(recorded, "device_only", false), query.deviceOnly());
    IndexQuery again = IndexQuery.decode(query.encode());
    replay.sameHashes("hashes written back", query.blockHashes(), again.blockHashes());
    if (recorded.has("device_only")) {
      EventPlaneReader.same("question", msgpack, query.encode(), replay);
    }
  }

  static void compareAnswer(JsonNode recorded, ResponseItem item, Replay replay) {
    byte[] data = Arrays.copyOfRange(item.bytes(), item.dataStart(), item.dataEnd());
    IndexAnswer answer = IndexAnswer.decode(data);
    String refusal = Objects.requireNonNullElse(answer.error(), "");
    replay.same("refusal", recorded.path("Error").asText(), refusal);
    Map<String, Map<WorkerWithDpRank, Integer>> tiers = new LinkedHashMap<>();
    tiers.put(StorageTier.DEVICE.wireName(), hits(recorded.at("/TieredScores/device/scores")));
    for (JsonNode tier : recorded.at("/TieredScores/lower_tier")) {
      tiers.put(tier.get(0).asText(), hits(Fields.array(tier.get(1), "hits")));
    }
    for (StorageTier tier : StorageTier.values()) {
      Map<WorkerWithDpRank, Integer> expected = tiers.getOrDefault(tier.wireName(), Map.of());
      replay.same(tier + " hits", expected, answer.hits(tier));
    }
    if (recorded.at("/TieredScores/device/frequencies").isEmpty()) {
      EventPlaneReader.same("answer", data, answer.encode(), replay);
    }
  }

  private static Map<WorkerWithDpRank, Integer> hits(JsonNode scores) {
    Map<WorkerWithDpRank, Integer> hits = new LinkedHashMap<>();
    for (JsonNode each : scores) {
      JsonNode rank = each.get(0);
      hits.put(
          new WorkerWithDpRank(
              Fields.bits(Fields.required(rank, "worker_id")), Fields.integer(rank, "dp_rank")),
          each.get(1).asInt());
    }
    return hits;
  }
}
