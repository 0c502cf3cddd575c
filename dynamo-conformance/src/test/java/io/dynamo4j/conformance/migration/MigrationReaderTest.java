// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dynamo4j.conformance.MalformedCaseException;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.core.testing.SharedData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MigrationReaderTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final MigrationReader reader = new MigrationReader();

  private static JsonNode read(String name) throws IOException {
    return JSON.readTree(SharedData.golden("migration").resolve(name + ".json").toFile());
  }

  private static ObjectNode object(JsonNode content, String pointer) {
    return (ObjectNode) content.at(pointer);
  }

  private static Map<String, JsonNode> cases() throws IOException {
    Map<String, JsonNode> cases = new TreeMap<>();
    try (Stream<Path> files = Files.list(SharedData.golden("migration"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".json")).toList()) {
        JsonNode content = JSON.readTree(file.toFile());
        cases.put(content.path("case").asText(), content);
      }
    }
    return cases;
  }

  @Test
  void shouldAgreeWithEveryRecordedFailureExceptWhereRecordedPeerIsWrong() throws IOException {
    Set<String> touched = new TreeSet<>();
    Map<String, JsonNode> cases = cases();

    cases.forEach(
        (name, content) -> {
          assertThat(reader.reads(content)).as(name).isTrue();
          Replay replay = reader.replay(content);
          assertThat(replay.faults()).as(name).isEmpty();
          replay.deviations().forEach(deviation -> touched.add(deviation.rule()));
        });

    assertThat(cases).hasSize(208);
    assertThat(touched)
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Rule.values()).map(Rule::listed).toList());
  }

  @ParameterizedTest
  @CsvSource({
    "a15-three-hops, 3",
    "h05-stop-two-hops, 2",
    "i01-sampling-all, 1",
    "j19-batch-prompts, 2",
    "k01-eq, 1",
    "m09-late-tokens, 1",
    "r07-kv-three-hops, 1",
    "w04-messages-stream, 1",
    "z06-disagg-decode-break-kv, 3"
  })
  void shouldFindFaultWhenARecordedDispatchIsChanged(String name, int attempt) throws IOException {
    JsonNode token = read(name);
    ArrayNode tokens = (ArrayNode) token.at("/attempts/" + attempt + "/request/token_ids");
    tokens.set(tokens.size() - 1, JSON.getNodeFactory().numberNode(7));
    JsonNode option = read(name);
    object(option, "/attempts/" + attempt + "/request/sampling_options").put("top_k", 3);
    JsonNode unread = read(name);
    object(unread, "/attempts/" + attempt + "/request").put("something_else", "carried");
    JsonNode stop = read(name);
    object(stop, "/attempts/" + attempt + "/request/stop_conditions")
        .putArray("stop")
        .add("never seen");

    for (JsonNode changed : new JsonNode[] {token, option, unread, stop}) {
      assertThat(reader.replay(changed).faults()).isNotEmpty();
    }
    assertThat(reader.replay(read(name)).faults()).isEmpty();
  }

  @Test
  void shouldFindFaultWhenWhatTheClientGotIsChangedInEitherForm() throws IOException {
    String name = "a15-three-hops";

    assertFault(name, content -> object(content, "/expect/client/0").put("0", "abcdefghijkm"));
    assertFault(
        name,
        content -> {
          ArrayNode lines = (ArrayNode) content.at("/client/0/sse");
          ((ObjectNode) lines.get(1)).put("line", "data: {\"choices\":[{\"text\":\"z\"}]}");
        });
    assertFault(name, content -> ((ArrayNode) content.at("/expect/migration_metrics")).remove(0));
    assertFault(
        name,
        content -> {
          ArrayNode lines = (ArrayNode) content.at("/metrics_after");
          for (int i = lines.size() - 1; i >= 0; i--) {
            if (lines.get(i).asText().contains("model_migration_total")) {
              lines.remove(i);
            }
          }
        });
    assertFault("j13-logprobs-chat-unary", MigrationReaderTest::dropALogProb);
  }

  private static void dropALogProb(JsonNode content) {
    ((ArrayNode) content.at("/client/0/body/choices/0/logprobs/content")).remove(2);
  }

  private void assertFault(String name, Consumer<JsonNode> change) throws IOException {
    JsonNode content = read(name);
    change.accept(content);
    assertThat(reader.replay(content).faults()).isNotEmpty();
  }

  /** Each case differs by a rule; what is changed in it is nothing that the rule is about. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "f07-tokfinish-then-exit",
        "g03-max-overrun",
        "h11-stop-include",
        "h08-stop-withheld-exhausted",
        "q03-rr-two-raise-always"
      })
  void shouldNotExcuseOtherTextByARule(String name) throws IOException {
    JsonNode content = read(name);
    assertThat(reader.replay(content).deviations()).isNotEmpty();

    for (JsonNode line : content.at("/client/0/sse")) {
      String text = line.path("line").asText();
      ((ObjectNode) line).put("line", text.replaceFirst("\"text\":\"[a-z]+\"", "\"text\":\"Z\""));
    }
    String told = content.at("/expect/client/0/0").asText();
    object(content, "/expect/client/0").put("0", told.replaceAll("[a-z]", "Z"));

    assertThat(told).isNotEmpty();
    assertThat(reader.replay(content).faults()).anyMatch(fault -> fault.startsWith("content: "));
  }

  @Test
  void shouldNotExcuseByARuleWhatTheRuleSaysNothingAbout() throws IOException {
    String usage = "i06-usage-unary-worker";
    assertThat(reader.replay(read(usage)).deviations()).isNotEmpty();
    assertUnexcused(
        usage,
        "texts",
        content -> {
          object(content, "/client/0/body/choices/0").put("text", "abcdefgx");
          object(content, "/expect/client/0").put("0", "abcdefgx");
        });
    assertUnexcused(
        usage,
        "finishReasons",
        content -> {
          object(content, "/client/0/body/choices/0").put("finish_reason", "stop");
          object(content, "/expect/client/0").put("0.finish", "stop");
        });
    assertUnexcused(usage, "outputTokens", content -> changeOutputTokens(content, 9));
    assertUnexcused(usage, "counters", MigrationReaderTest::countOnceMore);
    assertUnexcused(
        usage,
        "events",
        content -> object(content, "/attempts/0/events/0").put("cls", "RuntimeError"));
    assertUnexcused("h08-stop-withheld-exhausted", "counters", MigrationReaderTest::countOnceMore);
    assertUnexcused("h11-stop-include", "counters", MigrationReaderTest::countOnceMore);
  }

  private static void changeOutputTokens(JsonNode content, int tokens) {
    change(content.at("/metrics_after"), "output_tokens_total", tokens);
  }

  /** Tells one more migration than there was, in both forms. */
  private static void countOnceMore(JsonNode content) {
    change(content.at("/metrics_after"), "model_migration_total", 7);
    change(content.at("/expect/migration_metrics"), "model_migration_total", 7);
  }

  private static void change(JsonNode lines, String metric, int value) {
    ArrayNode all = (ArrayNode) lines;
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).asText().contains(metric)) {
        all.set(i, all.get(i).asText().replaceFirst("\\d+$", Integer.toString(value)));
      }
    }
  }

  private void assertUnexcused(String name, String aspect, Consumer<JsonNode> change)
      throws IOException {
    JsonNode content = read(name);
    change.accept(content);
    assertThat(reader.replay(content).faults())
        .as(name)
        .anyMatch(fault -> fault.startsWith(aspect + ": "));
  }

  /** Where a rule lets dispatches differ, those recorded must still be what they are told to be. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "f07-tokfinish-then-exit",
        "g01-max-reached-raise",
        "q03-rr-two-raise-always",
        "a15-three-hops"
      })
  void shouldFindFaultWhenADispatchIsNotWhatIsToldToHaveChanged(String name) throws IOException {
    int last = read(name).path("attempts").size() - 1;

    assertFault(
        name,
        content ->
            object(content, "/attempts/" + last + "/request/sampling_options").put("top_k", 3));
    assertFault(
        name,
        content -> {
          ArrayNode tokens = (ArrayNode) content.at("/attempts/" + last + "/request/token_ids");
          tokens.set(tokens.size() - 1, JSON.getNodeFactory().numberNode(7));
        });
  }

  @Test
  void shouldFindFaultWhenTheOutputTokensOrTheEndAreTamperedWith() throws IOException {
    assertFault("a15-three-hops", content -> changeOutputTokens(content, 7));
    assertFault(
        "a15-three-hops", content -> object(content, "/expect/client/0").put("done", false));
    assertFault(
        "a15-three-hops", content -> object(content, "/expect/client/0").put("status", 503));
    assertFault(
        "b-final-Disconnected",
        content -> object(content, "/expect/client/0/error").put("code", 500));
  }

  @Test
  void shouldRefuseWhatItDoesNotKnow() throws IOException {
    assertRefused(content -> ((ArrayNode) content.at("/frontend/flags")).add("--never-seen"));
    assertRefused(content -> object(content, "/frontend/env").put("DYN_NEVER_SEEN", "1"));
    assertRefused(content -> object(content, "/frontend").put("neverSeen", 1));
    assertRefused(content -> object(content, "/workers/0").put("never_seen", true));
    assertRefused(content -> object(content, "/workers/0").put("worker_type", "NeverSeen"));
    assertRefused(content -> object(content, "/scripts").put("never_seen", true));
    assertRefused(content -> object(content, "/client/0/request").put("never_seen", true));
    assertRefused(content -> object(content, "/client/0/request").put("path", "/v1/never-seen"));
    assertRefused(content -> object(content, "/client/0/request/body").put("echo", true));
    assertRefused(content -> object(content, "/timeline").putArray("post"));
    assertRefused(content -> ((ArrayNode) content.at("/timeline/pre")).addArray().add("melt"));
    assertRefused(content -> ((ArrayNode) content.at("/scripts/attempts/0/0")).set(0, "neverSeen"));
    assertRefused(content -> object(content, "").put("never_seen", true));
  }

  private void assertRefused(Consumer<JsonNode> change) throws IOException {
    JsonNode content = read("a15-three-hops");
    change.accept(content);
    assertThatThrownBy(() -> reader.replay(content)).isInstanceOf(MalformedCaseException.class);
  }

  /** The worker says that something else came of a dispatch. */
  @ParameterizedTest
  @CsvSource({
    "p01-cancel-first, 0, context_stopped, generator_end",
    "p03-cancel-retry-silent, 1, context_stopped, generator_end",
    "f03-eos-token-then-raise, 0, context_stopped, generator_end",
    "m03-hang-first-timeout1, 0, context_stopped, generator_end",
    "b-final-Disconnected, 0, raise, context_stopped",
    "a15-three-hops, 3, generator_end, exit",
    "m04-freeze-timeout1, 0, freeze, exit",
    "q03-rr-two-raise-always, 0, raise, generator_end"
  })
  void shouldFindFaultWhenTheWorkersSideIsAnother(
      String name, int attempt, String event, String other) throws IOException {
    JsonNode content = read(name);
    int changed = 0;
    for (JsonNode each : content.at("/attempts/" + attempt + "/events")) {
      boolean told = each.path("stopped").asBoolean();
      if (each.path("ev").asText().equals(event) || told) {
        ObjectNode fields = (ObjectNode) each;
        fields.put("ev", other);
        fields.put("stopped", other.equals("context_stopped"));
        fields.put("killed", other.equals("context_stopped"));
        fields.put("made", 1);
        changed++;
      }
    }

    assertThat(changed).isPositive();
    assertDiffers(name, content, "events");
  }

  @Test
  void shouldFindFaultWhenAWorkerSaysOtherThingsOfTheSameKind() throws IOException {
    JsonNode raised = read("b-final-Disconnected");
    object(raised, "/attempts/0/events/0").put("cls", "ConnectionTimeout");
    assertDiffers("b-final-Disconnected", raised, "events");
    JsonNode made = read("a15-three-hops");
    object(made, "/attempts/3/events/0").put("made", 99);
    assertDiffers("a15-three-hops", made, "events");
    JsonNode refused = read("x04-sync-InvalidArgument-l0");
    object(refused, "/attempts/0/events/0").put("cls", "EngineShutdown");
    assertDiffers("x04-sync-InvalidArgument-l0", refused, "events");
  }

  /** Where a rule explains that other workers are asked, events may differ, and are shown to. */
  private void assertDiffers(String name, JsonNode content, String aspect) throws IOException {
    Replay replay = reader.replay(content);
    boolean isDeviation =
        replay.deviations().stream()
                .filter(each -> each.text().startsWith(aspect + ": "))
                .map(each -> each.text())
                .distinct()
                .count()
            > 0;
    boolean isFault = replay.faults().stream().anyMatch(each -> each.startsWith(aspect + ": "));
    assertThat(isFault || isDeviation).as("%s %s", name, replay.faults()).isTrue();
    if (reader.replay(read(name)).deviations().isEmpty()) {
      assertThat(isFault).as(name).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "a15-three-hops, requests_total",
    "b-final-Disconnected, requests_total",
    "p01-cancel-first, requests_total",
    "p01-cancel-first, model_cancellation_total",
    "p07-cancel-in-connect, model_cancellation_total",
    "i06-usage-unary-worker, requests_total"
  })
  void shouldFindFaultWhenOtherOutcomesAreCounted(String name, String metric) throws IOException {
    assertUnexcused(
        name,
        "outcomes",
        content -> {
          change(content.at("/metrics_after"), metric, 7);
          change(content.at("/expect/migration_metrics"), metric, 7);
        });
    assertUnexcused(
        name,
        "outcomes",
        content -> {
          drop(content.at("/metrics_after"), metric);
          drop(content.at("/expect/migration_metrics"), metric);
        });
    assertFault(name, content -> change(content.at("/metrics_after"), metric, 7));
  }

  @Test
  void shouldFindFaultWhenOneFormCountsOtherRejections() throws IOException {
    assertFault(
        "v01-overload-l0",
        content -> change(content.at("/metrics_after"), "model_rejection_total", 7));
  }

  private static void drop(JsonNode lines, String metric) {
    for (int i = lines.size() - 1; i >= 0; i--) {
      if (lines.get(i).asText().contains(metric)) {
        ((ArrayNode) lines).remove(i);
      }
    }
  }

  @Test
  void shouldFindFaultWhenTheSumOfTokensIsAnother() throws IOException {
    String unary = "i06-usage-unary-worker";
    assertFault(unary, content -> object(content, "/client/0/body/usage").put("total_tokens", 15));
    assertFault(
        unary, content -> object(content, "/expect/client/0/usage").put("total_tokens", 15));
    assertFault(
        "w02-responses-unary",
        content -> object(content, "/client/0/body/usage").put("total_tokens", 15));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/attempts/0",
        "/attempts/0/events/0",
        "/client/0",
        "/client/0/body",
        "/client/0/body/choices/0",
        "/client/0/body/usage",
        "/expect",
        "/expect/client/0",
        "/expect/client/0/usage",
        "/expect/per_request/0",
        "/expect/per_request/0/dispatch/0"
      })
  void shouldNotLeaveAFieldOutSilently(String place) throws IOException {
    JsonNode content = read("i07-usage-unary-noworker");
    assertThat(reader.replay(content).faults()).isEmpty();
    object(content, place).put("never_seen", 1);

    assertThat(reader.replay(content).faults())
        .anyMatch(fault -> fault.matches("not compared: field=.*never_seen"));
  }

  @Test
  void shouldNotLeaveAMetricOrAnEventOutSilently() throws IOException {
    assertNotCompared(
        "metric=never_seen_total",
        content ->
            ((ArrayNode) content.at("/metrics_after")).add("dynamo_frontend_never_seen_total 1"));
    assertNotCompared(
        "metric=never_seen_total",
        content ->
            ((ArrayNode) content.at("/expect/migration_metrics")).add("never_seen_total{} 1"));
    assertNotCompared(
        "event=never_seen",
        content -> object(content, "/attempts/0/events/0").put("ev", "never_seen"));
  }

  private void assertNotCompared(String what, Consumer<JsonNode> change) throws IOException {
    JsonNode content = read("a15-three-hops");
    change.accept(content);
    assertThat(reader.replay(content).faults()).contains("not compared: " + what);
  }

  @Test
  void shouldLeaveOtherKindsOfCasesAlone() {
    assertThat(reader.reads(JSON.createObjectNode())).isFalse();
    assertThat(reader.reads(JSON.createObjectNode().put("lora_name", "a"))).isFalse();
  }
}
