// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.service;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.MalformedCaseException;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.conformance.engine.EngineListener;
import io.dynamo4j.conformance.engine.EngineReference;
import io.dynamo4j.conformance.plane.PublishedEvent;
import io.dynamo4j.conformance.tree.Indexes;
import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/** Runs one case: every message goes to the listener of its rank, every query to all indexes. */
final class IndexerServiceReplay {
  private final Replay replay = Replay.create();
  private final Map<String, EngineListener> listeners = new LinkedHashMap<>();
  private final FedIndex ours = new FedIndex(Indexes.ours());
  private final FedIndex right = new FedIndex(Indexes.exact());
  private final FedIndex peer = new FedIndex(Indexes.peer());
  private final FedIndex peerOnExact = new FedIndex(Indexes.exact());
  private final Map<String, FedIndex> rightWithoutRule = new LinkedHashMap<>();
  private int blockSize;

  IndexerServiceReplay() {
    for (String rule : EngineReference.rules()) {
      rightWithoutRule.put(rule, new FedIndex(Indexes.exact()));
    }
  }

  Replay result() {
    return replay;
  }

  void register(JsonNode step) {
    JsonNode body = Fields.required(step, "body");
    if (step.path("status").asInt() != 201) {
      return;
    }
    blockSize = Fields.integer(body, "block_size");
    long workerId = Fields.bits(Fields.required(body, "instance_id"));
    int dpRank = body.path("dp_rank").asInt();
    String endpoint = Fields.text(body, "endpoint");
    if (!endpoint.startsWith("PUB:")) {
      throw new MalformedCaseException("endpoint is no publisher: endpoint=" + endpoint);
    }
    listeners.put(endpoint, new EngineListener(workerId, blockSize, dpRank));
  }

  /** The recorded service takes a rank for all of them unless the group is named with it. */
  void unregister(JsonNode step) {
    if (step.path("status").asInt() != 200) {
      return;
    }
    JsonNode body = Fields.required(step, "body");
    long workerId = Fields.bits(Fields.required(body, "instance_id"));
    boolean isOneRank = !Fields.isAbsent(body, "dp_rank") && body.has("routing_group");
    String prefix = "PUB:" + Long.toUnsignedString(workerId) + ":";
    if (isOneRank) {
      int dpRank = Fields.integer(body, "dp_rank");
      listeners.remove(prefix + dpRank);
      all().forEach(index -> index.removeRank(new WorkerWithDpRank(workerId, dpRank)));
    } else {
      listeners.keySet().removeIf(endpoint -> endpoint.startsWith(prefix));
    }
    if (listeners.keySet().stream().noneMatch(endpoint -> endpoint.startsWith(prefix))) {
      all().forEach(index -> index.removeWorker(workerId));
    }
  }

  private List<FedIndex> all() {
    List<FedIndex> all = new ArrayList<>(List.of(ours, right, peer, peerOnExact));
    all.addAll(rightWithoutRule.values());
    return all;
  }

  void publish(JsonNode step) {
    String endpoint = "PUB:" + step.path("worker").asText() + ":" + step.path("dp_rank").asText();
    EngineListener listener = listeners.get(endpoint);
    if (listener == null) {
      return;
    }
    List<byte[]> frames = new ArrayList<>();
    for (JsonNode frame : Fields.array(step, "frames_hex")) {
      frames.add(HexFormat.of().parseHex(frame.asText()));
    }
    EngineListener.Heard heard = listener.hear(frames);
    replay.same("events", heard.right(), heard.ours());
    long workerId = listener.workerId();
    ours.feed(workerId, heard.ours());
    right.feed(workerId, heard.right());
    peer.feed(workerId, heard.peer());
    peerOnExact.feed(workerId, heard.peer());
    rightWithoutRule.forEach(
        (rule, index) ->
            index.feed(workerId, heard.rightWithoutRule().getOrDefault(rule, List.of())));
  }

  /* --------------- Queries --------------- */

  void query(JsonNode step) {
    if (step.path("status").asInt() != 200) {
      return;
    }
    JsonNode body = Fields.required(step, "body");
    List<Long> locals = body.has("block_hashes") ? hashes(body) : hashesOfTokens(body);
    SortedMap<WorkerWithDpRank, Integer> recorded = scores(step);
    compareSummary(step.get("response"));
    compare("scores of " + body, recorded, index -> index.find(locals));
  }

  /** Ours is the right answer; a recorded one that differs is that of the peer, for a reason. */
  private <T> void compare(String what, T recorded, Function<FedIndex, T> asked) {
    T expected = asked.apply(right);
    replay.same(what, expected, asked.apply(ours));
    if (recorded.equals(expected)) {
      return;
    }
    String text = what + ": recorded=" + recorded + ", ours=" + asked.apply(ours);
    if (!recorded.equals(asked.apply(peer))) {
      replay.fault(text + ", model of the peer=" + asked.apply(peer));
      return;
    }
    if (!recorded.equals(asked.apply(peerOnExact))) {
      replay.deviation(Indexes.SHARED_STATE, text);
    }
    rightWithoutRule.forEach(
        (rule, index) -> {
          if (!asked.apply(index).equals(expected)) {
            replay.deviation(rule, text);
          }
        });
    if (replay.deviations().isEmpty()) {
      replay.fault(text + " for no single reason");
    }
  }

  private static List<Long> hashes(JsonNode body) {
    List<Long> hashes = new ArrayList<>();
    for (long hash : Fields.bitsArray(body, "block_hashes")) {
      hashes.add(hash);
    }
    return hashes;
  }

  private List<Long> hashesOfTokens(JsonNode body) {
    BlockHasher hasher =
        BlockHasher.of(
            BlockHashOptions.builder(blockSize)
                .loraName(Fields.textOrEmpty(body, "lora_name"))
                .cacheNamespace(Fields.textOrEmpty(body, "cache_salt"))
                .build());
    List<Long> hashes = new ArrayList<>();
    for (long hash : hasher.hash(TokenSlice.wrap(Fields.tokens(body, "token_ids")))) {
      hashes.add(hash);
    }
    return hashes;
  }

  /** Returns matched blocks; the service tells tokens. */
  private SortedMap<WorkerWithDpRank, Integer> scores(JsonNode step) {
    SortedMap<WorkerWithDpRank, Integer> scores = new TreeMap<>();
    JsonNode workers = Fields.required(Fields.required(step, "response"), "scores");
    workers
        .fields()
        .forEachRemaining(
            worker ->
                worker
                    .getValue()
                    .fields()
                    .forEachRemaining(
                        rank ->
                            scores.put(
                                new WorkerWithDpRank(
                                    Long.parseUnsignedLong(worker.getKey()),
                                    Integer.parseUnsignedInt(rank.getKey())),
                                blocks(rank.getValue().asInt()))));
    return scores;
  }

  private int blocks(int tokens) {
    if (tokens % blockSize != 0) {
      replay.fault("score is not of whole blocks: tokens=" + tokens + ", blockSize=" + blockSize);
    }
    return tokens / blockSize;
  }

  /** What an answer says of each worker by tiers agrees with the scores of its ranks. */
  private void compareSummary(JsonNode response) {
    for (Map.Entry<String, JsonNode> worker : response.path("instances").properties()) {
      JsonNode tiers = worker.getValue();
      JsonNode scores = response.path("scores").path(worker.getKey());
      int best = 0;
      for (Map.Entry<String, JsonNode> rank : tiers.path("dp").properties()) {
        int tokens = rank.getValue().asInt();
        replay.same("score of a rank", scores.path(rank.getKey()).asInt(), tokens);
        best = Math.max(best, tokens);
      }
      replay.same("best rank", tiers.path("gpu").asInt(), best);
      // Each tier counts what the tiers before it hold.
      int host = tiers.path("cpu").asInt();
      int disk = tiers.path("disk").asInt();
      replay.same("tiers grow", true, best <= host && host <= disk);
      replay.same("longest", tiers.path("longest_matched").asInt(), disk);
    }
  }

  /* --------------- Dumps --------------- */

  void dump(JsonNode step) {
    Set<String> recorded = new TreeSet<>();
    DumpedPaths device = new DumpedPaths(right);
    for (JsonNode partition : Fields.required(step, "response_filtered_to_model")) {
      // Parents come first by number, not by place.
      List<JsonNode> events = new ArrayList<>();
      Fields.array(partition, "events").forEach(events::add);
      events.sort(
          Comparator.comparingLong(
              event -> Fields.bits(Fields.required(event.path("event"), "event_id"))));
      for (JsonNode event : events) {
        PublishedEvent stored = PublishedEvent.of(event);
        long workerId = Fields.bits(Fields.required(event, "worker_id"));
        if (stored.tier().equals("device")) {
          device
              .add(new WorkerWithDpRank(workerId, stored.dpRank()), stored)
              .ifPresent(replay::fault);
        } else {
          String prefix =
              Long.toUnsignedString(workerId) + "/" + stored.dpRank() + "/" + stored.tier() + "/";
          stored.blocks().forEach(block -> recorded.add(prefix + block));
        }
      }
    }
    for (DumpedPaths.Path path : device.all()) {
      compare(
          "blocks of " + path,
          path.contents().size(),
          index -> index.find(path.contents()).getOrDefault(path.worker(), 0));
    }
    replay.same("blocks below the device", right.lowerBlocks(), ours.lowerBlocks());
    if (!recorded.equals(ours.lowerBlocks())) {
      String text =
          "blocks below the device: recorded=" + recorded + ", ours=" + ours.lowerBlocks();
      if (!recorded.equals(peer.lowerBlocks())) {
        replay.fault(text);
      }
      rightWithoutRule.forEach(
          (rule, index) -> {
            if (!index.lowerBlocks().equals(right.lowerBlocks())) {
              replay.deviation(rule, text);
            }
          });
    }
  }
}
