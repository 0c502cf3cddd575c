// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Worker selections that a policy file or a variable names decide, or no router is built. */
class SelectionPoliciesTest {
  private static final KvRouterConfig CONFIG = KvRouterConfig.ofDefaults();
  private static final String FILE =
      """
      worker_selection:
        aggregated: quick
        decode: slow
        instances:
          - {name: quick, type: row, parameters: {row: 1}}
          - {name: slow, type: row, parameters: {row: 2}}
      models:
        m:
          policy_classes: [{name: only}]
      """;

  /** Takes always the same row. */
  private static WorkerSelector row(Map<String, Object> parameters) {
    int row = Integer.parseInt(String.valueOf(parameters.getOrDefault("row", 0)));
    return (request, candidates, random) -> WorkerSelectionResult.of(candidates, row, 0, 0);
  }

  private final RouterFixture fixture = new RouterFixture(3);
  private final Map<String, String> environment = new LinkedHashMap<>();
  private final SelectionPolicies policies =
      SelectionPolicies.builder().register("row", SelectionPoliciesTest::row).build();

  SelectionPoliciesTest(@TempDir Path folder) throws IOException {
    Path path = Files.writeString(folder.resolve("policy.yaml"), FILE);
    environment.put("DYN_ROUTER_POLICY_CONFIG", path.toString());
  }

  private long chosen(String role, String model) {
    QueueConfig queue = QueueConfig.fromEnvironment(environment, model);
    try (KvRouter router =
        fixture.builder().queue(queue).selector(policies.selector(role, queue, CONFIG)).build()) {
      return router.trySelect(request("r", tokens(0, 8))).worker().workerId();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"m", "another"})
  void shouldDecideAsTheFileSaysForTheRole(String model) {
    assertThat(chosen("aggregated", model)).isEqualTo(2);
    assertThat(chosen("decode", model)).isEqualTo(3);
  }

  @Test
  void shouldDecideAsBuiltInWhereTheRoleHasNoSelection() {
    fixture.indexer.hold(worker(3), 2);

    assertThat(chosen("prefill", "m")).isEqualTo(3);
  }

  @Test
  void shouldPreferTheRolesVariableToTheCommonOneAndThatToTheFile() {
    fixture.indexer.hold(worker(3), 2);
    environment.put("DYN_ROUTER_WORKER_SELECTION_POLICY", "slow");
    assertThat(chosen("aggregated", "m")).isEqualTo(3);
    assertThat(chosen("prefill", "m")).isEqualTo(3);

    environment.put("DYN_ROUTER_PREFILL_POLICY", "quick");
    assertThat(chosen("prefill", "m")).isEqualTo(2);
    assertThat(chosen("decode", "m")).isEqualTo(3);

    environment.put("DYN_ROUTER_DECODE_POLICY", "row"); // no instance: the kind, no parameters
    assertThat(chosen("decode", "m")).isEqualTo(1);
    environment.put("DYN_ROUTER_WORKER_SELECTION_POLICY", "default");
    assertThat(chosen("aggregated", "m")).isEqualTo(3);
  }

  @Test
  void shouldBuildNoRouterThatWouldIgnoreASelection() {
    QueueConfig queue = QueueConfig.fromEnvironment(environment, "m");
    KvRouterBuilder builder = fixture.builder().queue(queue);

    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("roles=[aggregated, decode], selector=missing");
    QueueConfig byVariable =
        QueueConfig.fromEnvironment(Map.of("DYN_ROUTER_WORKER_SELECTION_POLICY", "own"));
    assertThatThrownBy(() -> fixture.builder().queue(byVariable).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("selector=missing");
    assertThat(PolicyFile.parse(FILE).queue("m").orElseThrow().workerSelections())
        .containsOnlyKeys("aggregated", "decode");
    fixture.builder().queue(queue).selector(row(Map.of())).build().close();
  }

  @Test
  void shouldHandParametersToTheKind() {
    List<Map<String, Object>> seen = new ArrayList<>();
    SelectionPolicies recording =
        SelectionPolicies.builder()
            .register(
                "row",
                parameters -> {
                  seen.add(parameters);
                  return row(parameters);
                })
            .build();

    recording.selector("decode", QueueConfig.fromEnvironment(environment, "m"), CONFIG);

    assertThat(seen).containsExactly(Map.of("row", 2L));
  }

  @Test
  void shouldRefuseAKindThatNobodyRegisteredAndARoleThatIsNone() {
    QueueConfig queue = QueueConfig.fromEnvironment(environment, "m");
    SelectionPolicies none = SelectionPolicies.builder().build();

    assertThatThrownBy(() -> none.selector("decode", queue, CONFIG))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("role=decode, name=slow, type=row, registered=[]");
    assertThatThrownBy(() -> policies.selector("encode", queue, CONFIG))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("role=encode");
    environment.put("DYN_ROUTER_DECODE_POLICY", "a b");
    assertThatThrownBy(() -> QueueConfig.fromEnvironment(environment, "m"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("DYN_ROUTER_DECODE_POLICY=a b");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "default", "a b"})
  void shouldRefuseANameThatIsNone(String type) {
    SelectionPolicies.Builder builder = SelectionPolicies.builder();

    assertThatThrownBy(() -> builder.register(type, SelectionPoliciesTest::row))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("type=" + type);
    builder.register("row", SelectionPoliciesTest::row);
    assertThatThrownBy(() -> builder.register("row", SelectionPoliciesTest::row))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("registered twice: type=row");
  }
}
