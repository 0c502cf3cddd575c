// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Dynamo's settings of conditional disaggregation act, or are refused by name. */
class PrefillBypassFieldsTest {
  private static final String FLAG = "DYN_ROUTER_CONDITIONAL_DISAGG";
  private static final String JSON = "DYN_ROUTER_CONDITIONAL_DISAGG_CONFIG";

  private static PrefillBypass ofMap(Map<String, Object> fields) {
    return KvRouterConfig.fromMap(fields).prefillBypass();
  }

  private static PrefillBypass on(String field, Object value) {
    return ofMap(Map.of("conditional_disagg_enabled", true, field, value));
  }

  private static PrefillBypass ofEnvironment(String flag, String json) {
    return KvRouterConfig.fromEnvironment(Map.of(FLAG, flag, JSON, json)).prefillBypass();
  }

  @Test
  void shouldComputeNothingInTheDecodePoolUnlessEnabled() {
    assertThat(ofMap(Map.of()).applies()).isFalse();
    assertThat(ofMap(Map.of("conditional_disagg_policy", "isl_or_load")).applies()).isFalse();
    assertThat(ofMap(Map.of("conditional_disagg_enabled", false)).applies()).isFalse();
    assertThat(KvRouterConfig.fromEnvironment(Map.of(FLAG, "0")).prefillBypass().applies())
        .isFalse();
  }

  @Test
  void shouldTakeDynamosDefaultsWhereItIsOnlyEnabled() {
    PrefillBypass rule = ofMap(Map.of("conditional_disagg_enabled", true));

    assertThat(rule.bypasses(4_096, 2_049, false, false)).isTrue();
    assertThat(rule.bypasses(4_096, 2_048, false, false)).isFalse(); // 2,048 new ones: not fewer
    assertThat(rule.bypasses(100, 30, false, false)).isFalse(); // 70 %: not less
    assertThat(rule.bypasses(100, 31, false, false)).isTrue();
    assertThat(rule.bypasses(100, 0, true, false)).isFalse();
  }

  @Test
  void shouldTakeEachFieldOfTheMap() {
    assertThat(on("conditional_disagg_eff_isl_threshold", 50).bypasses(100, 50, false, false))
        .isFalse();
    assertThat(on("conditional_disagg_eff_isl_threshold", 51).bypasses(100, 50, false, false))
        .isTrue();
    assertThat(on("conditional_disagg_eff_isl_ratio_threshold", 0.5).bypasses(10, 5, false, false))
        .isFalse();
    assertThat(on("conditional_disagg_decode_busy_threshold", 0.5).isDecodeBusy(51, 100)).isTrue();
    assertThat(ofMap(Map.of("conditional_disagg_enabled", true)).isDecodeBusy(99, 100)).isFalse();
    PrefillBypass byLoad =
        ofMap(
            Map.of(
                "conditional_disagg_enabled",
                true,
                "conditional_disagg_policy",
                "prefill_load",
                "conditional_disagg_prefill_busy_threshold",
                2));
    assertThat(byLoad.isPrefillBusy(201, 100)).isTrue();
    assertThat(byLoad.isPrefillBusy(200, 100)).isFalse();
    assertThat(byLoad.bypasses(100, 99, false, false)).isFalse();
  }

  @Test
  void shouldInheritTheQueuesThreshold() {
    PrefillBypass rule =
        ofMap(
            Map.of(
                "conditional_disagg_enabled",
                true,
                "conditional_disagg_policy",
                "isl_or_load",
                "router_queue_threshold",
                0.5));
    assertThat(rule.isPrefillBusy(51, 100)).isTrue();
    assertThat(rule.isPrefillBusy(50, 100)).isFalse();

    Map<String, String> environment = new LinkedHashMap<>();
    environment.put(FLAG, "true");
    environment.put(JSON, "{\"policy\": \"prefill_load\"}");
    assertThatThrownBy(() -> KvRouterConfig.fromEnvironment(environment))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "conditional_disagg_policy needs conditional_disagg_prefill_busy_threshold or"
                + " router_queue_threshold: conditional_disagg_policy=prefill_load");
    environment.put("DYN_ROUTER_QUEUE_THRESHOLD", "0.5");
    assertThat(KvRouterConfig.fromEnvironment(environment).prefillBypass().isPrefillBusy(51, 100))
        .isTrue();
  }

  @Test
  void shouldReadTheVariablesJson() {
    PrefillBypass rule =
        ofEnvironment("true", "{\"eff_isl_threshold\": 10, \"decode_busy_threshold\": 0.9}");

    assertThat(rule.bypasses(100, 91, false, false)).isTrue();
    assertThat(rule.bypasses(100, 90, false, false)).isFalse();
    assertThat(rule.isDecodeBusy(91, 100)).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "true  | {\"threshold\": 1} | has an unknown field: field=threshold",
        "true  | {\"enabled\": true} | has an unknown field: field=enabled",
        "true  | {\"policy\": \"guess\"} | must be isl_bounding, prefill_load or isl_or_load",
        "true  | {\"eff_isl_threshold\": 1.5} | eff_isl_threshold must be an integer",
        "true  | {\"eff_isl_threshold\": -1} | eff_isl_threshold must not be negative",
        "true  | {\"eff_isl_ratio_threshold\": 1.1} | eff_isl_ratio_threshold must be between 0",
        "true  | {\"decode_busy_threshold\": -1} | decode_busy_threshold must be",
        "true  | {nonsense | is no JSON",
        "true  | [1] | must be an object of plain fields",
        "false | {\"eff_isl_threshold\": 1} | requires DYN_ROUTER_CONDITIONAL_DISAGG=true",
        "maybe | {\"eff_isl_threshold\": 1} | requires DYN_ROUTER_CONDITIONAL_DISAGG=true"
      })
  void shouldRefuseVariablesThatAreWrong(String flag, String json, String text) {
    assertThatThrownBy(() -> ofEnvironment(flag, json))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(text);
  }

  static Stream<Arguments> wrong() {
    return Stream.of(
        Arguments.of("conditional_disagg_enabled", "yes", "must be a boolean"),
        Arguments.of("conditional_disagg_policy", "guess", "must be isl_bounding"),
        Arguments.of("conditional_disagg_eff_isl_threshold", "x", "must be a number"),
        Arguments.of("conditional_disagg_eff_isl_ratio_threshold", 2, "must be between 0 and 1"),
        Arguments.of("conditional_disagg_prefill_busy_threshold", -1, "must be a finite"),
        Arguments.of("conditional_disagg_decode_busy_threshold", -1, "must be a finite"));
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void shouldRefuseFieldsThatAreWrongAlsoWhereTheModeIsOff(
      String field, Object value, String text) {
    assertThatThrownBy(() -> ofMap(Map.of(field, value)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(text);
  }

  @Test
  void shouldActInTheDecodeRoutersPairAndBeRefusedByADispatcherOfOnePool() {
    KvRouterConfig config =
        KvRouterConfig.fromMap(
            Map.of("conditional_disagg_enabled", true, "conditional_disagg_eff_isl_threshold", 10));
    RouterFixture decodes = new RouterFixture(1);
    decodes.indexer.hold(RouterFixture.worker(1), 1);
    KvRouter prefill = new RouterFixture(2).router();
    KvRouter decode = decodes.builder().config(config).build();
    DisaggregatedRouter.Builder pools =
        DisaggregatedRouter.builder().prefill(prefill).decode(decode);

    // Four tokens of each prompt are cached where it would be decoded.
    assertThat(route(pools.build(), "a", 13)).isEqualTo(PrefillRoute.BYPASSED);
    assertThat(route(pools.build(), "b", 14)).isEqualTo(PrefillRoute.REMOTE);
    assertThat(route(pools.bypass(PrefillBypass.never()).build(), "c", 13))
        .isEqualTo(PrefillRoute.REMOTE);
    assertThatThrownBy(
            () ->
                KvDispatcher.builder()
                    .router(decode)
                    .requestPlane(new DispatchFixture(1).plane)
                    .build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("conditional_disagg_enabled=true");
  }

  private static PrefillRoute route(DisaggregatedRouter pools, String id, int tokens) {
    try (DisaggregatedLease lease =
        pools.trySelect(RouterFixture.request(id, RouterFixture.tokens(0, tokens)))) {
      return lease.route();
    }
  }
}
