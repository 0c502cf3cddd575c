// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StandingStoresTest {
  private final StandingStores stores = new StandingStores(2, 8);

  @Test
  void shouldTellStoresInTheOrderAndTheStepsInWhichTheyCame() {
    stores.stored(1, 0, 3, 1);
    stores.stored(0, 0, 8, 2);
    stores.stored(1, 3, 5, 3);

    assertThat(told()).containsExactly("1: 0-3", "0: 0-8", "1: 3-5");
  }

  @Test
  void shouldTellOnlyWhatIsLeftOfAStoreThatWasCutBack() {
    stores.stored(0, 0, 4, 1);
    stores.stored(0, 4, 8, 2);
    stores.cutBack(0, 6);
    stores.stored(1, 0, 2, 3);
    stores.cutBack(1, 0);
    stores.stored(0, 6, 7, 4);

    assertThat(told()).containsExactly("0: 0-4", "0: 4-6", "0: 6-7");
  }

  private List<String> told() {
    List<String> told = new ArrayList<>();
    stores.forEach((chain, from, to) -> told.add(chain + ": " + from + "-" + to));
    return told;
  }
}
