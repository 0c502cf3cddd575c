// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
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
