// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BoundedLabelsTest {
  private final BoundedLabels labels = new BoundedLabels(3);

  @Test
  void shouldKeepFirstValuesAndShareOneForTheRest() {
    assertThat(labels.labelOf("a")).isEqualTo("a");
    assertThat(labels.labelOf("b")).isEqualTo("b");
    assertThat(labels.labelOf("c")).isEqualTo("c");
    assertThat(labels.labelOf("d")).isEqualTo("other");
    assertThat(labels.labelOf("e")).isEqualTo("other");
    assertThat(labels.labelOf("b")).isEqualTo("b");
  }

  @Test
  void shouldSpendNoRoomOnValuesThatAreKnown() {
    for (int i = 0; i < 10; i++) {
      assertThat(labels.labelOf("a")).isEqualTo("a");
    }
    assertThat(labels.labelOf("b")).isEqualTo("b");
  }

  @Test
  void shouldNameWhatHasNoName() {
    assertThat(labels.labelOf("")).isEqualTo("unknown");
  }

  @Test
  void shouldCutWhatIsLong() {
    assertThat(labels.labelOf("m".repeat(10_000))).isEqualTo("m".repeat(200));
  }
}
