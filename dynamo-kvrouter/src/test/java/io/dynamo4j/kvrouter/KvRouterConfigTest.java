// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class KvRouterConfigTest {

  /** One setting: its variable, its default, a value that differs, how to read and to set it. */
  private record Setting<T>(
      String variable,
      T initial,
      T other,
      Function<KvRouterConfig, T> read,
      BiFunction<KvRouterConfigBuilder, T, KvRouterConfigBuilder> write) {

    static <T> Setting<T> of(
        String variable,
        T initial,
        T other,
        Function<KvRouterConfig, T> read,
        BiFunction<KvRouterConfigBuilder, T, KvRouterConfigBuilder> write) {
      return new Setting<>(variable, initial, other, read, write);
    }

    KvRouterConfig set() {
      return write.apply(KvRouterConfig.builder(), other).build();
    }
  }

  static Stream<Setting<?>> settings() {
    return Stream.of(
        Setting.of(
            "DYN_ROUTER_KV_OVERLAP_SCORE_CREDIT",
            1.0,
            1.5,
            KvRouterConfig::overlapScoreCredit,
            KvRouterConfigBuilder::overlapScoreCredit),
        Setting.of(
            "DYN_ROUTER_KV_OVERLAP_SCORE_CREDIT_DECAY",
            0.0,
            0.5,
            KvRouterConfig::overlapScoreCreditDecay,
            KvRouterConfigBuilder::overlapScoreCreditDecay),
        Setting.of(
            "DYN_ROUTER_PREFILL_LOAD_SCALE",
            1.0,
            4.0,
            KvRouterConfig::prefillLoadScale,
            KvRouterConfigBuilder::prefillLoadScale),
        Setting.of(
            "DYN_ROUTER_DECODE_ACTIVE_REQUEST_WEIGHT",
            0.0,
            32.0,
            KvRouterConfig::decodeActiveRequestWeight,
            KvRouterConfigBuilder::decodeActiveRequestWeight),
        Setting.of(
            "DYN_ROUTER_HOST_CACHE_HIT_WEIGHT",
            0.75,
            0.5,
            KvRouterConfig::hostCacheHitWeight,
            KvRouterConfigBuilder::hostCacheHitWeight),
        Setting.of(
            "DYN_ROUTER_DISK_CACHE_HIT_WEIGHT",
            0.25,
            0.125,
            KvRouterConfig::diskCacheHitWeight,
            KvRouterConfigBuilder::diskCacheHitWeight),
        Setting.of(
            "DYN_ROUTER_TEMPERATURE",
            0.0,
            0.7,
            KvRouterConfig::routerTemperature,
            KvRouterConfigBuilder::routerTemperature),
        Setting.of(
            "DYN_ROUTER_TRACK_ACTIVE_BLOCKS",
            true,
            false,
            KvRouterConfig::routerTrackActiveBlocks,
            KvRouterConfigBuilder::routerTrackActiveBlocks),
        Setting.of(
            "DYN_ROUTER_TRACK_OUTPUT_BLOCKS",
            false,
            true,
            KvRouterConfig::routerTrackOutputBlocks,
            KvRouterConfigBuilder::routerTrackOutputBlocks),
        Setting.of(
            "DYN_ROUTER_ASSUME_KV_REUSE",
            true,
            false,
            KvRouterConfig::routerAssumeKvReuse,
            KvRouterConfigBuilder::routerAssumeKvReuse),
        Setting.of(
            "DYN_ROUTER_TRACK_PREFILL_TOKENS",
            true,
            false,
            KvRouterConfig::routerTrackPrefillTokens,
            KvRouterConfigBuilder::routerTrackPrefillTokens));
  }

  @ParameterizedTest
  @MethodSource("settings")
  void shouldStartAtDynamosDefault(Setting<?> setting) {
    assertThat(setting.read().apply(KvRouterConfig.ofDefaults())).isEqualTo(setting.initial());
  }

  @ParameterizedTest
  @MethodSource("settings")
  void shouldReadDynamosVariable(Setting<?> setting) {
    KvRouterConfig config =
        KvRouterConfig.fromEnvironment(Map.of(setting.variable(), setting.other().toString()));

    assertThat(setting.read().apply(config)).isEqualTo(setting.other());
  }

  @ParameterizedTest
  @MethodSource("settings")
  void shouldKeepTheDefaultWhenAVariableCannotBeParsed(Setting<?> setting) {
    KvRouterConfig config = KvRouterConfig.fromEnvironment(Map.of(setting.variable(), "much"));

    assertThat(setting.read().apply(config)).isEqualTo(setting.initial());
  }

  @ParameterizedTest
  @MethodSource("settings")
  void shouldCarryEverySettingIntoAnotherBuilder(Setting<?> setting) {
    assertThat(setting.read().apply(setting.set().toBuilder().build())).isEqualTo(setting.other());
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.001, Double.NaN, Double.POSITIVE_INFINITY})
  void shouldRefuseANumberOutOfRange(double value) {
    KvRouterConfigBuilder credit = KvRouterConfig.builder().overlapScoreCredit(value);
    KvRouterConfigBuilder temperature = KvRouterConfig.builder().routerTemperature(value);
    KvRouterConfigBuilder weight = KvRouterConfig.builder().hostCacheHitWeight(value);
    KvRouterConfigBuilder disk = KvRouterConfig.builder().diskCacheHitWeight(1.001);

    assertThatThrownBy(credit::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "overlap_score_credit must be a finite, non-negative number: overlap_score_credit="
                + value);
    assertThatThrownBy(temperature::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("router_temperature must be finite and non-negative");
    assertThatThrownBy(weight::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("host_cache_hit_weight must be between 0 and 1");
    assertThatThrownBy(disk::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("disk_cache_hit_weight must be between 0 and 1");
  }

  @Test
  void shouldRefuseAVariableOutOfRange() {
    assertThatThrownBy(
            () -> KvRouterConfig.fromEnvironment(Map.of("DYN_ROUTER_PREFILL_LOAD_SCALE", "-1")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("prefill_load_scale=-1.0");
  }

  @Test
  void shouldRefuseOutputBlocksWithoutActiveBlocks() {
    KvRouterConfigBuilder builder =
        KvRouterConfig.builder().routerTrackActiveBlocks(false).routerTrackOutputBlocks(true);

    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("router_track_output_blocks requires router_track_active_blocks=true");
  }

  @Test
  void shouldLetTheFormerWeightBeatItsSuccessors() {
    KvRouterConfig two =
        KvRouterConfig.fromEnvironment(
            Map.of(
                "DYN_ROUTER_KV_OVERLAP_SCORE_WEIGHT", "2",
                "DYN_ROUTER_PREFILL_LOAD_SCALE", "5"));
    KvRouterConfig zero =
        KvRouterConfig.fromEnvironment(
            Map.of(
                "DYN_OVERLAP_SCORE_WEIGHT", "0",
                "DYN_ROUTER_KV_OVERLAP_SCORE_CREDIT", "1.5"));

    assertThat(two.prefillLoadScale()).isEqualTo(2);
    assertThat(two.overlapScoreCredit()).isEqualTo(1);
    assertThat(zero.prefillLoadScale()).isZero();
    assertThat(zero.overlapScoreCredit()).isZero();
  }

  @Test
  void shouldGiveOverlapNoCreditWhenLoadAware() {
    KvRouterConfig config = KvRouterConfig.fromEnvironment(Map.of("DYN_ROUTER_LOAD_AWARE", "1"));

    assertThat(config.overlapScoreCredit()).isZero();
    assertThat(config.routerAssumeKvReuse()).isFalse();
    assertThat(config.routerTrackActiveBlocks()).isTrue();
    assertThat(KvRouterConfig.loadAware().overlapScoreCredit()).isZero();
  }
}
