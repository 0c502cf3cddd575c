// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LookupScopeTest {
  private static final WorkerWithDpRank ONE = WorkerWithDpRank.of(1);
  private static final WorkerWithDpRank LAST = new WorkerWithDpRank(-1, -1);

  @Test
  void shouldIncludeEveryRankUnlessSomeAreNamed() {
    assertThat(LookupScope.all().includes(LAST)).isTrue();
    assertThat(LookupScope.all().isOfAll()).isTrue();
    assertThat(LookupScope.all().stopsAtLastRank()).isFalse();
  }

  @Test
  void shouldIncludeTheNamedRanksInWhateverOrder() {
    List<WorkerWithDpRank> named = new ArrayList<>(List.of(LAST, ONE));
    LookupScope scope = LookupScope.only(named);
    named.clear();

    assertThat(scope.includes(ONE)).isTrue();
    assertThat(scope.includes(LAST)).isTrue();
    assertThat(scope.includes(new WorkerWithDpRank(1, 1))).isFalse();
    assertThat(scope.isOfAll()).isFalse();
    assertThat(scope.toString()).contains("1/0");
  }

  @Test
  void shouldKeepItsRanksWhenItStopsAtTheLast() {
    LookupScope scope = LookupScope.only(List.of(ONE)).stoppingAtLastRank();

    assertThat(scope.stopsAtLastRank()).isTrue();
    assertThat(scope.includes(LAST)).isFalse();
  }
}
