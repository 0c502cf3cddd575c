// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.MalformedCaseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a recorded case sets up: gateway, workers, scripts, what is done to them, and clients.
 * Whatever it says that is not known is refused, so that nothing is left out silently.
 */
final class MigrationCase {
  private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz";
  private static final Set<String> KEYS =
      Set.of(
          "case",
          "reference",
          "description",
          "frontend",
          "workers",
          "timeline",
          "scripts",
          "attempts",
          "client",
          "metrics_after",
          "log_excerpt",
          "expect",
          "nondeterministic");

  private final JsonNode content;
  private final CaseSetup setup;
  private final List<WorkerSetup> workers = new ArrayList<>();
  private final List<Operation> operations;
  private final List<ClientSetup> clients = new ArrayList<>();
  private final String sequence;

  private MigrationCase(JsonNode content) {
    WorkerSetup.refuseUnknown(content, KEYS);
    WorkerSetup.refuseUnknown(content.path("frontend"), Set.of("flags", "env"));
    WorkerSetup.refuseUnknown(
        content.path("scripts"),
        Set.of("attempts", "repeat", "by_worker", "seq", "logprobs", "usage"));
    this.content = content;
    this.setup = CaseSetup.of(content.path("frontend"));
    Fields.array(content, "workers").forEach(worker -> workers.add(WorkerSetup.of(worker)));
    this.operations = Operation.all(content.path("timeline"));
    Fields.array(content, "client").forEach(client -> clients.add(ClientSetup.of(client)));
    String own = Fields.textOrEmpty(content.path("scripts"), "seq");
    this.sequence = own.isEmpty() ? ALPHABET : own;
    Fields.array(content, "attempts");
    refuseUnknownSteps(content.path("scripts"));
  }

  private void refuseUnknownSteps(JsonNode scripts) {
    scripts.path("attempts").forEach(script -> ScriptParser.parse(script, sequence));
    scripts
        .path("by_worker")
        .forEach(own -> own.forEach(script -> ScriptParser.parse(script, sequence)));
  }

  /** Returns whether the keys are those of a recorded migration. */
  static boolean isOne(JsonNode content) {
    return content.has("scripts")
        && content.has("workers")
        && content.has("attempts")
        && content.has("client")
        && content.path("frontend").has("flags");
  }

  /**
   * Reads a case.
   *
   * @throws MalformedCaseException if it says something unknown
   */
  static MigrationCase of(JsonNode content) {
    return new MigrationCase(content);
  }

  JsonNode content() {
    return content;
  }

  CaseSetup setup() {
    return setup;
  }

  List<ClientSetup> clients() {
    return List.copyOf(clients);
  }

  List<Operation> operations() {
    return List.copyOf(operations);
  }

  /** Returns whether workers of prefill and of decoding share the work. */
  boolean isDisaggregated() {
    return workers.stream().anyMatch(WorkerSetup::prefill);
  }

  /** Returns whether the gateway makes other text of the workers' text. */
  boolean isParsed() {
    return workers.stream().anyMatch(WorkerSetup::parses);
  }

  /** Returns the workers that are there from the beginning. */
  List<WorkerSetup> workers() {
    return List.copyOf(workers);
  }

  /** Returns the setup of a worker, also of one that the case only mentions where it is used. */
  WorkerSetup worker(String name) {
    return workers.stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseGet(() -> WorkerSetup.spawned(name));
  }

  /** Returns workers that served requests and were not there from the beginning. */
  Set<String> latecomers() {
    Set<String> late = new LinkedHashSet<>();
    content.path("attempts").forEach(attempt -> late.add(attempt.path("worker").asText()));
    workers.forEach(each -> late.remove(each.name()));
    return late;
  }

  /** Returns when a latecomer was used for the first time. */
  long firstUseNanos(String worker) {
    for (JsonNode attempt : content.path("attempts")) {
      if (attempt.path("worker").asText().equals(worker)) {
        return attempt.path("t_ms").asLong() * 1_000_000L;
      }
    }
    throw new MalformedCaseException("worker is unknown: name=" + worker);
  }

  /** Returns the script of the n-th dispatch to any worker, or the worker's own n-th, from 0. */
  List<Act> script(int dispatch, String worker, int dispatchOfWorker) {
    JsonNode scripts = content.path("scripts");
    JsonNode own = scripts.path("by_worker").path(worker);
    if (own.isArray() && !own.isEmpty()) {
      return ScriptParser.parse(own.get(Math.min(dispatchOfWorker, own.size() - 1)), sequence);
    }
    JsonNode all = scripts.path("attempts");
    int index = scripts.path("repeat").asBoolean() ? Math.min(dispatch, all.size() - 1) : dispatch;
    return index < all.size()
        ? ScriptParser.parse(all.get(index), sequence)
        : ScriptParser.standard();
  }

  boolean reportsUsage() {
    return content.path("scripts").path("usage").asBoolean();
  }

  boolean reportsLogProbs() {
    return content.path("scripts").path("logprobs").asBoolean();
  }

  /** Returns the byte that is generated at a position after the original prompt. */
  int generated(int position) {
    return sequence.charAt(position % sequence.length());
  }

  /** Returns the recorded dispatches of each request, in order, by its id. */
  Map<String, List<JsonNode>> recordedDispatches() {
    Map<String, List<JsonNode>> byRequest = new LinkedHashMap<>();
    for (JsonNode attempt : content.path("attempts")) {
      byRequest
          .computeIfAbsent(attempt.path("ctx_id").asText(), id -> new ArrayList<>())
          .add(attempt);
    }
    return byRequest;
  }

  /**
   * Returns the requests that a client's body becomes, one for each prompt: as the recorded peer
   * made them where it sent them anywhere, since making them is not compared.
   */
  List<JsonNode> requests(ClientSetup client) {
    List<JsonNode> requests = new ArrayList<>();
    for (List<Integer> prompt : client.prompts()) {
      ObjectNode template = template(client, prompt);
      requests.add(template == null ? client.toRequest(prompt) : template);
    }
    return requests;
  }

  private @Nullable ObjectNode template(ClientSetup client, List<Integer> prompt) {
    ObjectNode fallback = null;
    boolean embeds = client.body().has("prompt_embeds");
    for (List<JsonNode> dispatches : recordedDispatches().values()) {
      ObjectNode first = undisaggregated(dispatches);
      if (first == null) {
        continue;
      }
      List<Integer> tokens = new ArrayList<>();
      first.path("token_ids").forEach(token -> tokens.add(token.asInt()));
      if (tokens.equals(prompt) || embeds) {
        return first;
      }
      fallback = fallback == null ? first : fallback;
    }
    if (fallback != null && sameBodies()) {
      ClientSetup.withTokens(fallback, prompt);
      return fallback;
    }
    return null;
  }

  private boolean sameBodies() {
    return clients.stream().map(ClientSetup::body).distinct().count() == 1;
  }

  /** Takes off what the split between prefill and decoding adds. */
  private @Nullable ObjectNode undisaggregated(List<JsonNode> dispatches) {
    for (JsonNode dispatch : dispatches) {
      ObjectNode request = dispatch.path("request").deepCopy();
      if (!isDisaggregated()) {
        if (setup.mode() == CaseSetup.Mode.KV) {
          removeFrom(request, "dp_rank");
        }
        return request;
      }
      if (!worker(dispatch.path("worker").asText()).prefill()) {
        request.remove("prefill_result");
        request.remove("router_config_override");
        for (String name : List.of("prefill_worker_id", "dp_rank", "prefill_dp_rank")) {
          removeFrom(request, name);
        }
        return request;
      }
    }
    return null;
  }

  private static void removeFrom(ObjectNode request, String name) {
    if (request.path("routing") instanceof ObjectNode routing) {
      routing.remove(name);
    }
  }
}
