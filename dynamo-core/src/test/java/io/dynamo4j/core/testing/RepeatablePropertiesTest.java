// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;

class RepeatablePropertiesTest {
  private static final List<Long> ONE = new ArrayList<>();
  private static final List<Long> OTHER = new ArrayList<>();
  private static final List<Long> SEEDED = new ArrayList<>();

  @Property(tries = 10, edgeCases = EdgeCasesMode.NONE)
  void shouldDrawTheSameInOneProperty(@ForAll long drawn) {
    ONE.add(drawn);
  }

  @Property(tries = 10, edgeCases = EdgeCasesMode.NONE)
  void shouldDrawTheSameInAnother(@ForAll long drawn) {
    OTHER.add(drawn);
  }

  @Property(tries = 10, edgeCases = EdgeCasesMode.NONE, seed = "1")
  void shouldKeepTheSeedThatAPropertyNames(@ForAll long drawn) {
    SEEDED.add(drawn);
  }

  @AfterContainer
  static void shouldHaveDrawnBySeed() {
    assertThat(ONE).hasSize(10).isNotEqualTo(SEEDED);
    if (!RepeatableProperties.random()) {
      assertThat(OTHER).isEqualTo(ONE);
    }
  }
}
