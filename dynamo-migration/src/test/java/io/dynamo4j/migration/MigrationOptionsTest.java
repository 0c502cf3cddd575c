// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MigrationOptionsTest {

  @Test
  void shouldNeverMigrateByDefault() {
    MigrationOptions defaults = MigrationOptions.ofDefaults();

    assertThat(defaults.limit()).isZero();
    assertThat(defaults.maxSeqLen()).isEqualTo(MigrationOptions.UNLIMITED);
    assertThat(defaults.stallTimeoutNanos()).isZero();
    assertThat(defaults.endTimeoutNanos()).isEqualTo(Duration.ofSeconds(5).toNanos());
  }

  @Test
  void shouldKeepEverythingWhenRebuilt() {
    MigrationOptions options =
        MigrationOptions.builder()
            .limit(MigrationOptions.MAX_UNSIGNED_INT)
            .maxSeqLen(7)
            .stallTimeout(Duration.ofNanos(8))
            .endTimeout(Duration.ofNanos(9))
            .build();

    assertThat(options.toBuilder().build()).usingRecursiveComparison().isEqualTo(options);
    assertThat(options.limit()).isEqualTo(0xffff_ffffL);
    assertThat(options.endTimeoutNanos()).isEqualTo(9);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 0x1_0000_0000L, Long.MIN_VALUE, Long.MAX_VALUE})
  void shouldRejectLimitWhenOutOfRange(long limit) {
    assertThatThrownBy(() -> MigrationOptions.builder().limit(limit))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("limit=" + limit);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 0, 0x1_0000_0000L})
  void shouldRejectMaxSeqLenWhenOutOfRange(long tokens) {
    assertThatThrownBy(() -> MigrationOptions.builder().maxSeqLen(tokens))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maxSeqLen=" + tokens);
  }

  @Test
  void shouldReadDynamosVariables() {
    MigrationOptions options =
        MigrationOptions.fromEnvironment(
            Map.of("DYN_MIGRATION_LIMIT", " 3 ", "DYN_MIGRATION_MAX_SEQ_LEN", "8192"));

    assertThat(options.limit()).isEqualTo(3);
    assertThat(options.maxSeqLen()).isEqualTo(8192);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "three", "1.5", "0x10"})
  void shouldKeepDefaultsWhenVariableIsNoNumber(String text) {
    MigrationOptions options =
        MigrationOptions.fromEnvironment(
            Map.of("DYN_MIGRATION_LIMIT", text, "DYN_MIGRATION_MAX_SEQ_LEN", text));

    assertThat(options).usingRecursiveComparison().isEqualTo(MigrationOptions.ofDefaults());
    assertThat(MigrationOptions.fromEnvironment(Map.of()))
        .usingRecursiveComparison()
        .isEqualTo(MigrationOptions.ofDefaults());
  }

  @Test
  void shouldRejectVariableWhenOutOfRange() {
    assertThatThrownBy(() -> MigrationOptions.fromEnvironment(Map.of("DYN_MIGRATION_LIMIT", "-1")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("limit=-1");
    assertThatThrownBy(
            () -> MigrationOptions.fromEnvironment(Map.of("DYN_MIGRATION_MAX_SEQ_LEN", "0")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maxSeqLen=0");
  }

  @Test
  void shouldRejectTimeoutWhenNegativeOrBeyondACentury() {
    for (Duration wrong : new Duration[] {Duration.ofNanos(-1), Duration.ofDays(100 * 366)}) {
      assertThatThrownBy(() -> MigrationOptions.builder().stallTimeout(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("stallTimeout=" + wrong);
      assertThatThrownBy(() -> MigrationOptions.builder().endTimeout(wrong))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void shouldRejectBuildWhenDispatcherIsMissing() {
    assertThatThrownBy(() -> Migrator.builder().adapter(ReplayAdapter.preprocessed()).build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("dispatcher");
  }
}
