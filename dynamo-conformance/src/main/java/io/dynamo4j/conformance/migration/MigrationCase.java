// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.MigrationOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a recorded case sets up: options, workers, scripts, and the request as first dispatched. */
final class MigrationCase {
  private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz";

  /** Steps that need processes, signals or discovery. */
  private static final Set<String> STEPS_OF_PROCESSES =
      Set.of("sigterm", "freeze", "unregister", "waitstop", "hang");

  private final JsonNode content;
  private final JsonNode firstRequest;

  private MigrationCase(JsonNode content) {
    this.content = content;
    this.firstRequest = content.path("attempts").path(0).path("request");
  }

  static MigrationCase of(JsonNode content) {
    return new MigrationCase(content);
  }

  /**
   * Returns whether a case is one request, to aggregated workers that only produce tokens or fail,
   * and compared by tokens: no stop strings, time-outs, discovery or client that leaves.
   */
  static boolean isOfTokens(JsonNode content) {
    boolean shaped =
        content.has("scripts")
            && content.has("expect")
            && content.path("frontend").has("flags")
            && !content.path("attempts").isEmpty();
    return shaped && of(content).isOneOfTokens();
  }

  private boolean isOneOfTokens() {
    JsonNode timeline = content.path("timeline");
    JsonNode client = content.path("client");
    JsonNode asked = client.path(0).path("request");
    return client.size() == 1
        && content.path("expect").path("per_request").size() == 1
        && timeline.path("pre").isEmpty()
        && timeline.path("during").isEmpty()
        && !content.path("scripts").has("by_worker")
        && content.path("frontend").path("env").isEmpty()
        && !asked.has("disconnect_after")
        && (asked.path("path").asText().startsWith("/v1/completions")
            || asked.path("path").asText().startsWith("/v1/chat"))
        && firstRequest.path("stop_conditions").path("stop").isNull()
        && content.path("workers").findValue("worker_type") == null
        && content.path("workers").findValue("sync_raise") == null
        && stepNames().stream().noneMatch(STEPS_OF_PROCESSES::contains);
  }

  private List<String> stepNames() {
    List<String> names = new ArrayList<>();
    for (JsonNode script : content.path("scripts").path("attempts")) {
      script.forEach(step -> names.add(step.path(0).asText()));
    }
    return names;
  }

  MigrationOptions options() {
    MigrationOptions.Builder options = MigrationOptions.builder();
    JsonNode flags = content.path("frontend").path("flags");
    for (int i = 0; i + 1 < flags.size(); i++) {
      switch (flags.get(i).asText()) {
        case "--migration-limit" -> options.limit(flags.get(i + 1).asLong());
        case "--migration-max-seq-len" -> options.maxSeqLen(flags.get(i + 1).asLong());
        default -> {}
      }
    }
    return options.build();
  }

  /** Returns whether the recorded router itself leaves out workers that failed the request. */
  boolean excludesFailedWorkers() {
    JsonNode flags = content.path("frontend").path("flags");
    for (JsonNode flag : flags) {
      if (flag.asText().equals("kv")) {
        return true;
      }
    }
    return false;
  }

  int workerCount() {
    return content.path("workers").size();
  }

  /** Returns the script of the n-th dispatch, counted from 0. */
  List<Act> script(int dispatch) {
    JsonNode scripts = content.path("scripts").path("attempts");
    boolean repeats = content.path("scripts").path("repeat").asBoolean();
    int index = repeats ? Math.min(dispatch, scripts.size() - 1) : dispatch;
    return index < scripts.size()
        ? ScriptParser.parse(scripts.get(index), sequence())
        : ScriptParser.standard();
  }

  /** Returns the byte that is generated at a position after the original prompt. */
  int generated(int position) {
    return sequence().charAt(position % sequence().length());
  }

  private String sequence() {
    String own = Fields.textOrEmpty(content.path("scripts"), "seq");
    return own.isEmpty() ? ALPHABET : own;
  }

  PreprocessedRequest request() {
    SamplingOptions.Builder sampling =
        SamplingOptions.builder().n(firstRequest.at("/sampling_options/n").asInt(1));
    if (!firstRequest.at("/sampling_options/guided_decoding").isNull()) {
      Map<String, Object> guided = new LinkedHashMap<>();
      guided.put("present", true);
      sampling.guidedDecoding(guided);
    }
    return PreprocessedRequest.builder(
            "conformance", TokenSlice.wrap(Fields.tokens(firstRequest, "token_ids")))
        .model(firstRequest.path("model").asText())
        .stopConditions(stopConditions(firstRequest.path("stop_conditions")))
        .samplingOptions(sampling.build())
        .routing(routing())
        .build();
  }

  /** Returns whether the recorded request names the one worker that may serve it. */
  boolean isPinned() {
    JsonNode routing = firstRequest.path("routing");
    return routing.has("backend_instance_id") || routing.has("decode_worker_id");
  }

  private RoutingHints routing() {
    return isPinned()
        ? RoutingHints.builder().pinnedWorker(WorkerWithDpRank.of(1)).build()
        : RoutingHints.none();
  }

  static StopConditions stopConditions(JsonNode recorded) {
    List<Integer> stopIds = new ArrayList<>();
    for (String list :
        List.of("stop_token_ids", "stop_token_ids_visible", "stop_token_ids_hidden")) {
      recorded.path(list).forEach(id -> stopIds.add(id.asInt()));
    }
    return StopConditions.builder()
        .maxTokens(recorded.path("max_tokens").asLong(StopConditions.UNSET))
        .minTokens(recorded.path("min_tokens").asLong(StopConditions.UNSET))
        .stopTokenIds(stopIds)
        .ignoreEos(recorded.path("ignore_eos").asBoolean())
        .build();
  }
}
