// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dynamo4j.conformance.CaseKeys;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.MalformedCaseException;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.kvrouter.PotentialLoad;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What recordings of the services have in common. */
final class ServiceCases {
  private static final Pattern GENERATED = Pattern.compile("sequence_hashes of (\\d+) ones");

  /** What stands in answers of the services, at any depth. */
  static final Set<String> ANSWER_NAMES =
      Collections.unmodifiableSet(
          new TreeSet<>(
              List.of(
                  """
                  active_decode_blocks active_prefill_tokens active_requests block_hash block_size
                  blocks cleared cpu data data_parallel_size data_parallel_start_rank device_blocks
                  disk disk_blocks disk_extension_blocks dp dp_rank dp_size dp_start
                  effective_prefill_tokens enabled endpoint endpoints error event event_id events
                  frequencies gpu host_pinned_blocks host_pinned_extension_blocks instance_id
                  instances is_eagle isl_tokens kind kv_events_endpoint kv_events_endpoints
                  kv_transfer_domain kv_transfer_enforcement kv_transfer_preferred_weight lifecycle
                  listeners loads longest_matched max_num_batched_tokens message mm_extra_info mm_hash
                  mm_objects model_name not_schedulable_reasons num_blocks offsets overlap
                  parent_hash pending_count pending_isl_tokens potential_decode_blocks
                  potential_prefill_tokens ranges ready removed block_hashes replay_endpoint
                  residency_domain routing_group schedulable_workers scores selection_id
                  sequence_hashes shared_beyond_device_blocks shared_cache source
                  stable_routing_id start_position status status_code storage_tier stored taints
                  tokens_hash topology_domains total_hit_blocks total_kv_blocks track_prefill_tokens
                  worker_id workers zone
                  """
                      .strip()
                      .split("\\s+"))));

  /** Keys of a recording of a service by HTTP. */
  static final CaseKeys KEYS =
      CaseKeys.of(
              "id",
              "title",
              "service",
              "version",
              "tags",
              "note",
              "steps",
              "log_warnings",
              "replay_traffic",
              "subscription_frames_sent_to_peer_hex")
          .and(
              "steps",
              "op",
              "method",
              "path",
              "body",
              "raw_body",
              "raw_body_generated",
              "body_bytes",
              "headers",
              "status",
              "response",
              "response_filtered_to_model",
              "note",
              "worker",
              "dp_rank",
              "frames_hex",
              "seq",
              "decoded")
          .answers(List.of("response", "response_filtered_to_model"), ANSWER_NAMES);

  private ServiceCases() {}

  /** Returns whether every step is an HTTP call. */
  static boolean hasOnlyCalls(JsonNode content) {
    JsonNode steps = content.path("steps");
    if (!steps.isArray() || steps.isEmpty()) {
      return false;
    }
    for (JsonNode step : steps) {
      if (!step.path("op").asText().equals("http")) {
        return false;
      }
    }
    return true;
  }

  /** Returns the step with a body that the recording only describes. */
  static JsonNode withGeneratedBody(JsonNode step) {
    String text = step.path("raw_body_generated").asText();
    Matcher described = GENERATED.matcher(text);
    if (text.isEmpty() || step.path("status").asInt() != 200) {
      return step;
    }
    if (!described.matches()) {
      throw new MalformedCaseException("body is not described as known: text=" + text);
    }
    ObjectNode whole = step.deepCopy();
    ArrayNode hashes = whole.putObject("body").put("model_name", "m").putArray("sequence_hashes");
    for (int i = Integer.parseInt(described.group(1)); i > 0; i--) {
      hashes.add(1);
    }
    return whole;
  }

  static String partition(JsonNode row) {
    return Fields.text(row, "model_name") + ":" + Fields.text(row, "routing_group");
  }

  static WorkerWithDpRank rank(JsonNode row) {
    return new WorkerWithDpRank(
        Fields.bits(Fields.required(row, "worker_id")), Fields.integer(row, "dp_rank"));
  }

  static Set<String> potentialLoads(JsonNode rows) {
    Set<String> loads = new TreeSet<>();
    for (JsonNode row : rows) {
      loads.add(
          rank(row)
              + " "
              + Fields.integer(row, "potential_prefill_tokens")
              + " "
              + Fields.integer(row, "potential_decode_blocks")
              + " "
              + Fields.integer(row, "active_requests"));
    }
    return loads;
  }

  static Set<String> potentialLoads(List<PotentialLoad> rows) {
    Set<String> loads = new TreeSet<>();
    for (PotentialLoad row : rows) {
      loads.add(
          row.worker()
              + " "
              + row.prefillTokens()
              + " "
              + row.decodeBlocks()
              + " "
              + row.activeRequests());
    }
    return loads;
  }
}
