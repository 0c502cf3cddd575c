// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.plane;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.wire.DiscoveryRecord;
import io.dynamo4j.wire.ModelCard;
import java.util.Iterator;

/** Compares each field that the library reads of a discovery record with the recorded one. */
final class RecordedFields {

  private RecordedFields() {}

  static void compare(JsonNode recorded, DiscoveryRecord read, Replay replay) {
    if (read instanceof DiscoveryRecord.Instance instance) {
      replay.same("type", "Endpoint", recorded.path("type").asText("Endpoint"));
      instance(recorded, instance, replay);
    } else if (read instanceof DiscoveryRecord.Model model) {
      replay.same("type", Fields.text(recorded, "type"), "Model");
      replay.same("endpoint", endpoint(recorded, "endpoint"), model.endpoint());
      replay.same("instance", bits(recorded, "instance_id"), model.instanceId());
      card(Fields.required(recorded, "card_json"), model.card(), replay);
    } else if (read instanceof DiscoveryRecord.Channel channel) {
      replay.same("type", Fields.text(recorded, "type"), "EventChannel");
      replay.same("scope", scope(recorded), channel.channel().scope());
      replay.same("topic", Fields.text(recorded, "topic"), channel.channel().topic());
      replay.same("publisher", bits(recorded, "instance_id"), channel.channel().publisherId());
      address(recorded.path("transport"), channel.channel().address(), replay);
    } else if (read instanceof DiscoveryRecord.Source source) {
      replay.same("type", Fields.text(recorded, "type"), "EventSource");
      source(recorded, source, replay);
    }
  }

  private static void instance(JsonNode recorded, DiscoveryRecord.Instance read, Replay replay) {
    replay.same("endpoint", endpoint(recorded, "endpoint"), read.endpoint());
    replay.same("instance", bits(recorded, "instance_id"), read.instanceId());
    Iterator<String> kinds = Fields.required(recorded, "transport").fieldNames();
    String kind = kinds.next();
    String codec = Fields.textOrEmpty(recorded, "request_plane_codec");
    String suffix = kind.equals("tcp") && !codec.isEmpty() ? "+" + codec : "";
    replay.same("transport", kind + suffix, read.address().transport());
    replay.same("address", Fields.text(recorded.get("transport"), kind), read.address().value());
  }

  private static void source(JsonNode recorded, DiscoveryRecord.Source read, Replay replay) {
    replay.same("scope", scope(recorded), read.scope());
    replay.same("topic", Fields.text(recorded, "topic"), read.topic());
    replay.same("publisher", bits(recorded, "publisher_id"), read.publisherId());
    JsonNode metadata = Fields.required(recorded, "metadata");
    JsonNode worker = Fields.required(metadata, "worker");
    replay.same("worker", bits(worker, "worker_id"), read.worker().workerId());
    replay.same("rank", bits(worker, "dp_rank"), (long) read.worker().dpRank());
    DiscoveryRecord.Instance recovery = read.recovery();
    replay.same("answers for losses", metadata.hasNonNull("recovery_target"), recovery != null);
    if (recovery != null) {
      instance(metadata.get("recovery_target"), recovery, replay);
    }
  }

  private static void card(JsonNode recorded, ModelCard read, Replay replay) {
    JsonNode runtime = recorded.path("runtime_config");
    replay.same("model", recorded.path("display_name").asText(""), read.name());
    replay.same(
        "tokens a block", recorded.path("kv_cache_block_size").asInt(-1), read.kvBlockSize());
    replay.same("blocks", runtime.path("total_kv_blocks").asLong(-1), read.totalKvBlocks());
    replay.same(
        "batched tokens",
        runtime.path("max_num_batched_tokens").asLong(-1),
        read.maxBatchedTokens());
    replay.same("first rank", runtime.path("data_parallel_start_rank").asInt(0), read.dpStart());
    replay.same("ranks", runtime.path("data_parallel_size").asInt(1), read.dpSize());
  }

  private static void address(JsonNode recorded, Address read, Replay replay) {
    JsonNode config = recorded.path("config");
    boolean isZmq = Fields.text(recorded, "kind").equals("Zmq");
    replay.same("transport", isZmq ? "zmq" : "nats", read.transport());
    replay.same(
        "address", Fields.text(config, isZmq ? "endpoint" : "subject_prefix"), read.value());
  }

  private static EventScope scope(JsonNode recorded) {
    JsonNode scope = Fields.required(recorded, "scope");
    return switch (Fields.text(scope, "kind")) {
      case "namespace" -> new EventScope.Namespace(Fields.text(scope, "name"));
      case "component" ->
          new EventScope.Component(
              Fields.text(scope, "namespace"), Fields.text(scope, "component"));
      default -> endpoint(Fields.required(scope, "endpoint"), "name");
    };
  }

  private static EventScope.Endpoint endpoint(JsonNode node, String name) {
    return new EventScope.Endpoint(
        Fields.text(node, "namespace"), Fields.text(node, "component"), Fields.text(node, name));
  }

  private static long bits(JsonNode node, String name) {
    return Fields.bits(Fields.required(node, name));
  }
}
