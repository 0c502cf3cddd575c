// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.testing.ForkedJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RadixTreeLeakTest {
  private static final int SUFFIXES = 100_000;
  private static final int OPERATIONS = 1_000_000;
  private static final long MIB = 1 << 20;

  @Test // field report B04
  void shouldKeepItsNodesWhenSuffixesComeAndGo() {
    RadixTree tree = RadixTree.create(3);
    long[] prefix = {1, 2, 3, 4, 5, 6, 7, 8};
    tree.apply(event(1, KvCacheEventData.Stored.atRoot(prefix, prefix)));
    for (long i = 100; i < SUFFIXES; i++) {
      long[] suffix = {i, i + 1, i + 2, i + 3};
      long parent = prefix[(int) (i % prefix.length)];
      tree.apply(event(1, KvCacheEventData.Stored.under(parent, suffix, suffix)));
      tree.apply(event(1, KvCacheEventData.Removed.of(suffix)));
    }

    assertThat(tree.nodeCount()).isEqualTo(1);
    assertThat(tree.blockCount()).isEqualTo(prefix.length);
    tree.checkInvariants();
  }

  /** In a process of its own: in this one other tests' classes and caches move the same figure. */
  @Test
  void shouldKeepWithinAMebibyteOfAFreshTreeWhenEverythingIsGone(@TempDir Path folder)
      throws IOException, InterruptedException {
    ForkedJvm.Result result =
        ForkedJvm.run(
            folder,
            List.of("-Xmx512m", "-XX:+UseSerialGC"),
            ChurnMain.class.getName(),
            String.valueOf(OPERATIONS),
            "5");
    Matcher kept = Pattern.compile("kept=(-?\\d+), .*mostNodes=(\\d+)").matcher(result.text());

    assertThat(kept.find()).as(result.text()).isTrue();
    assertThat(Long.parseLong(kept.group(1))).as(result.text()).isLessThan(MIB);
    assertThat(Long.parseLong(kept.group(2))).as(result.text()).isGreaterThan(1_000);
  }

  private static RouterEvent event(long worker, KvCacheEventData data) {
    return RouterEvent.of(worker, StorageTier.DEVICE, KvCacheEvent.of(0, 0, data));
  }
}
