// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyFileTest {
  private static final String SAMPLE =
      """
      # Two families, one class by name.
      default_policy_family: interactive
      uncached_isl_buckets:
        - {min_tokens: 0, bucket: short}
        - min_tokens: 4096
          bucket: "long"
      policy_classes:
      - name: interactive-short   # beside its own key
        policy_family: interactive
        cache_bucket: short
        queue_policy: wspt
        quantum: 4_096
        prefill_busy_threshold_frac: 1.5
      - name: interactive-long
        policy_family: interactive
        cache_bucket: long
        prefill_busy_threshold: 9000
        raw_isl_token_queue_limit_per_worker: 100000
        cached_token_queue_limit_per_worker: 5000
      - name: batch
        prefill_busy_threshold_frac: 0.5
        request_queue_limit_per_worker: 64
      models:
        'own/model':
          policy_classes:
            - name: only
              quantum: 7
      worker_selection:
        aggregated: quick
        prefill: default
        instances:
          - name: quick
            type: least-loaded
            parameters: {depth: 2, names: [a, 'b c']}
      """;

  @Test
  void shouldReadClassesOfTheRoot() {
    QueueConfig queue = PolicyFile.parse(SAMPLE).queue("any").orElseThrow();

    assertThat(queue.classes())
        .extracting(PolicyClass::name, PolicyClass::family, PolicyClass::bucket)
        .containsExactly(
            tuple("interactive-short", "interactive", "short"),
            tuple("interactive-long", "interactive", "long"),
            tuple("batch", "", ""));
    PolicyClass first = queue.classes().get(0);
    assertThat(first.queuePolicy()).isEqualTo(QueuePolicy.WSPT);
    assertThat(first.quantum()).isEqualTo(4_096);
    assertThat(first.prefillBusyThresholdFraction()).isEqualTo(1.5);
    PolicyClass second = queue.classes().get(1);
    assertThat(second.queuePolicy()).isEqualTo(QueuePolicy.FCFS);
    assertThat(second.prefillBusyThreshold()).isEqualTo(9_000);
    assertThat(second.promptTokenLimitPerWorker()).isEqualTo(100_000);
    assertThat(second.cachedTokenLimitPerWorker()).isEqualTo(5_000);
    assertThat(queue.classes().get(2).requestLimitPerWorker()).isEqualTo(64);
  }

  @ParameterizedTest
  @CsvSource({
    "'', 0, interactive-short",
    "'', 4095, interactive-short",
    "'', 4096, interactive-long",
    "nobody, 5000, interactive-long",
    "interactive, 1, interactive-short",
    "batch, 99999, batch"
  })
  void shouldResolveAClassByFamilyBucketOrName(String asked, long uncached, String name) {
    QueueConfig queue = PolicyFile.parse(SAMPLE).queue("any").orElseThrow();

    assertThat(queue.classes().get(queue.resolve(asked, uncached)).name()).isEqualTo(name);
  }

  @Test
  void shouldReplaceTheRootByAModelsOwnProfile() {
    PolicyFile file = PolicyFile.parse(SAMPLE);

    assertThat(file.models()).containsExactly("own/model");
    assertThat(file.queue("own/model").orElseThrow().classes())
        .extracting(PolicyClass::name)
        .containsExactly("only");
  }

  @Test
  void shouldNameSelectionsOfWorkersByRole() {
    PolicyFile file = PolicyFile.parse(SAMPLE);

    assertThat(file.workerSelection("aggregated"))
        .contains(
            new PolicyFile.WorkerSelection(
                "quick", "least-loaded", Map.of("depth", 2L, "names", List.of("a", "b c"))));
    assertThat(file.workerSelection("prefill")).isEmpty();
    assertThat(file.workerSelection("decode")).isEmpty();
  }

  @Test
  void shouldLeaveTheQueueAloneWhereOnlySelectionsAreNamed() {
    PolicyFile file = PolicyFile.parse("worker_selection: {aggregated: default}\n");

    assertThat(file.queue("m")).isEmpty();
    assertThat(PolicyFile.parse("models: {m: {policy_classes: [{name: c}]}}").queue("n")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "stride: 4 | unknown field: field=stride",
        "policy_classes: [{name: c, weight: 1}] | field=policy_classes[0].weight",
        "policy_classes: [{quantum: 1}] | field=policy_classes[0].name",
        "policy_classes: [{name: c, queue_policy: lcfs}] | queue_policy must be fcfs or wspt",
        "policy_classes: [{name: c, quantum: 0}] | quantum must be at least 1",
        "policy_classes: [{name: c, quantum: 1.5}] | expected=integer, value=1.5",
        "policy_classes: [{name: c}, {name: c}] | policy class stands twice: class=c",
        "policy_classes: [{name: c, cache_bucket: b}] | not one of uncached_isl_buckets",
        "default_policy_family: f | policy_classes must not be empty",
        "{default_policy_family: f, policy_classes: [{name: c}]} | default_policy_family is no",
        "uncached_isl_buckets: [{min_tokens: 1, bucket: b}] | must begin at 0 and ascend",
        "models: {m: {}} | model has no policy class: model=m",
        "models: 3 | field=models, expected=mapping",
        "worker_selection: {decode: x} | not one of instances: role=decode, name=x",
        "worker_selection: {instances: [{name: default, type: t}]} | other than default",
        "worker_selection: {instances: [{name: a b, type: t}]} | other than default: name=a b",
        "policy_classes: [{name: c, prefill_busy_threshold_frac: -1}] | prefill_busy_threshold_frac",
        "- 1 | policy file is no mapping",
      })
  void shouldRefuseWhatIsWrong(String yaml, String text) {
    assertThatThrownBy(() -> PolicyFile.parse(yaml))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a: b\n  c: d",
        "a: &anchor 1",
        "a: *anchor",
        "a: !tag 1",
        "a: |\n  long",
        "a: [1, 2",
        "a: {b 1}",
        "a: 'no end",
        "a: 1\na: 2",
        "a: \"b\\n\"",
        "a:\n  - 1\n  b: 2",
        "a: [1] 2",
        "\ta: 1"
      })
  void shouldSayInWhichLineItCannotRead(String yaml) {
    assertThatThrownBy(() -> PolicyYaml.read(yaml))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("line=");
  }

  @Test
  void shouldReadScalarsAsYamlDoes() {
    Object read =
        PolicyYaml.read(
            """
            ---
            a: ~
            b: true
            c: -3
            d: 2.5e1
            e: 'it: is # text'
            f: plain text # no more
            g:
            h: []
            i: {}
            j:
            - - 1
              - 2
            - x: y
            """);

    assertThat(String.valueOf(read))
        .isEqualTo(
            "{a=null, b=true, c=-3, d=25.0, e=it: is # text, f=plain text, g=null, h=[], i={},"
                + " j=[[1, 2], {x=y}]}");
    assertThat(PolicyYaml.read("# nothing\n\n")).isNull();
  }

  @Test
  void shouldBeReadOnceWhereAVariableNamesIt(@TempDir Path folder) throws IOException {
    Path path = Files.writeString(folder.resolve("policy.yaml"), SAMPLE);
    Map<String, String> environment =
        Map.of(
            "DYN_ROUTER_POLICY_CONFIG", path.toString(),
            "DYN_ROUTER_QUEUE_THRESHOLD", "0.25",
            "DYN_ROUTER_OVERLAP_REFRESH_AFTER_SECS", "3");

    QueueConfig own = QueueConfig.fromEnvironment(environment, "own/model");

    assertThat(own.classes()).extracting(PolicyClass::name).containsExactly("only");
    assertThat(own.overlapRefreshAfter()).isEqualTo(Duration.ofSeconds(3));
    assertThat(QueueConfig.fromEnvironment(environment).classes()).hasSize(3);
    Files.writeString(path, "policy_classes: [{name: c, weight: 1}]");
    assertThatThrownBy(() -> QueueConfig.fromEnvironment(environment))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("weight");
    Files.writeString(path, "worker_selection: {}");
    assertThat(QueueConfig.fromEnvironment(environment).classes().get(0))
        .extracting(PolicyClass::prefillBusyThresholdFraction)
        .isEqualTo(0.25);
  }
}
