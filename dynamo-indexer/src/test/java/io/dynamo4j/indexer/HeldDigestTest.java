// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class HeldDigestTest {

  @Test
  void shouldBeTheSameForTheSameHashesInAnyOrder() {
    HeldDigest one = HeldDigest.of(new long[] {1, -2, 3, 3});
    HeldDigest other = HeldDigest.of(new long[] {3, 1, 3, -2});
    assertThat(one.total()).isEqualTo(other.total());
    assertThat(one.differing(other.buckets())).isZero();
  }

  @Test
  void shouldDifferInTheBucketOfEachHashThatIsMissingOrMore() {
    Random random = new Random(7);
    for (int run = 0; run < 1_000; run++) {
      long[] hashes = random.longs(50).toArray();
      HeldDigest all = HeldDigest.of(hashes);
      long hash = random.nextBoolean() ? hashes[0] : random.nextLong();
      HeldDigest more = HeldDigest.of(hashes);
      more.add(hash);
      assertThat(more.total()).isNotEqualTo(all.total());
      assertThat(all.differing(more.buckets())).isEqualTo(1L << HeldDigest.bucketOf(hash));
    }
  }

  @Test
  void shouldSpreadHashesOverItsBuckets() {
    int[] count = new int[HeldDigest.BUCKETS];
    for (long hash = 0; hash < 64_000; hash++) {
      count[HeldDigest.bucketOf(hash)]++;
    }
    for (int each : count) {
      assertThat(each).isBetween(800, 1_200);
    }
  }

  @Test
  void shouldDifferEverywhereFromADigestOfAnotherShape() {
    assertThat(HeldDigest.create().differing(new long[3])).isEqualTo(-1);
  }
}
