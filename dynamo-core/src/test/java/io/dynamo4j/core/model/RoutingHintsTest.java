// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RoutingHintsTest {

  @Test
  void shouldAllowEveryWorkerWhenNothingIsSet() {
    assertThat(RoutingHints.none().allows(-7)).isTrue();
    assertThat(RoutingHints.none().allowedWorkerIds()).isNull();
  }

  @Test
  void shouldAllowOnlyListedWorkersWhenListIsSet() {
    RoutingHints hints = RoutingHints.builder().allowedWorkerIds(9, -1, 9, 3).build();

    assertThat(hints.allows(9)).isTrue();
    assertThat(hints.allows(-1)).isTrue();
    assertThat(hints.allows(4)).isFalse();
    assertThat(hints.allowedWorkerIds()).containsExactly(-1, 3, 9);
  }

  @Test
  void shouldAllowNobodyWhenListIsEmpty() {
    assertThat(RoutingHints.builder().allowedWorkerIds().build().allows(0)).isFalse();
  }
}
