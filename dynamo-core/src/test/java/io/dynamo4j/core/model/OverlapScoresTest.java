// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OverlapScoresTest {
  private final OverlapScores scores = OverlapScores.create();

  @Test
  void shouldSayWorkersAddedByNameBeyondItsFirstRoom() {
    for (int i = 0; i < 100; i++) {
      scores.add(WorkerWithDpRank.of(i), i + 1);
    }

    assertThat(scores.size()).isEqualTo(100);
    assertThat(scores.worker(99)).isEqualTo(WorkerWithDpRank.of(99));
    assertThat(scores.depth(99)).isEqualTo(100);
    assertThat(scores.depthOf(WorkerWithDpRank.of(40))).isEqualTo(41);
    assertThat(scores.depthOf(WorkerWithDpRank.of(100))).isZero();
  }

  @Test
  void shouldSayWorkersAddedByNumber() {
    WorkerWithDpRank[] table = new WorkerWithDpRank[128];
    table[64] = WorkerWithDpRank.of(7);
    table[127] = WorkerWithDpRank.of(8);
    scores.clearForNumbers(table);
    scores.addNumbered(64, 1L | 1L << 63, 5);

    assertThat(scores.size()).isEqualTo(2);
    assertThat(scores.worker(0)).isEqualTo(WorkerWithDpRank.of(7));
    assertThat(scores.depthOf(WorkerWithDpRank.of(8))).isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void shouldAddSetsOfNumbersAsOneByOne(long seed) {
    Random random = new Random(seed);
    OverlapScores oneByOne = OverlapScores.create();
    for (int lookup = 0; lookup < 50; lookup++) {
      int words = 1 + random.nextInt(20);
      long[] bits = new long[words + 1];
      Arrays.setAll(bits, i -> random.nextInt(3) == 0 ? random.nextLong() : -random.nextInt(2));
      WorkerWithDpRank[] table = new WorkerWithDpRank[64 * words];
      Arrays.setAll(table, WorkerWithDpRank::of);
      scores.clearForNumbers(table);
      oneByOne.clearForNumbers(table);

      scores.addNumbered(bits, words, 1 + lookup);
      for (int number = 0; number < 64 * words; number++) {
        if ((bits[number >> 6] >>> number & 1) != 0) {
          oneByOne.addNumbered(number, 1L, 1 + lookup);
        }
      }

      assertThat(scores.size()).isEqualTo(oneByOne.size());
      for (int i = 0; i < scores.size(); i++) {
        assertThat(scores.worker(i)).isEqualTo(oneByOne.worker(i));
        assertThat(scores.depth(i)).isEqualTo(1 + lookup);
      }
    }
  }

  @Test
  void shouldForgetOneFormWhenTheOtherFollows() {
    scores.add(WorkerWithDpRank.of(1), 1);
    scores.clearForNumbers(new WorkerWithDpRank[] {WorkerWithDpRank.of(2)});
    scores.addNumbered(0, -1L >>> 63, 3);
    assertThat(scores.worker(0)).isEqualTo(WorkerWithDpRank.of(2));
    scores.clear();
    assertThat(scores.size()).isZero();
    scores.add(WorkerWithDpRank.of(3), 4);

    assertThat(scores.worker(0)).isEqualTo(WorkerWithDpRank.of(3));
    assertThatThrownBy(() -> scores.worker(1)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void shouldTakeScoresBackWhenTheIndexLowersThem() {
    scores.add(WorkerWithDpRank.of(1), 5);
    scores.add(WorkerWithDpRank.of(2), 4);
    scores.add(WorkerWithDpRank.of(3), 3);
    scores.lower(0, 2);
    scores.lower(1, 0);

    assertThat(scores.size()).isEqualTo(2);
    assertThat(scores.depthOf(WorkerWithDpRank.of(1))).isEqualTo(2);
    assertThat(scores.depthOf(WorkerWithDpRank.of(2))).isZero();
    assertThat(scores.depthOf(WorkerWithDpRank.of(3))).isEqualTo(3);
    scores.truncate(1);
    assertThat(scores.size()).isEqualTo(1);
    assertThatThrownBy(() -> scores.truncate(2)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> scores.lower(1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
  }
}
