// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.RandomSource;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EngineBatchPropertyTest {
  private static final int SEEDS = 2_000;

  @Property(tries = SEEDS)
  void shouldReadWhatAnotherWriterWrote(@ForAll long seed) {
    RandomEngineBatch batch = new RandomEngineBatch(RandomSource.seeded(seed));

    assertThat(read(batch.payload())).isEqualTo(batch.meaning());
  }

  @Property(tries = 500)
  void shouldReadTheSameWithOneReaderForEverything(@ForAll long seed) {
    RandomSource random = RandomSource.seeded(seed);
    EngineBatchReader reader = EngineBatchReader.create();
    for (int i = 0; i < 10; i++) {
      RandomEngineBatch batch = new RandomEngineBatch(random);
      assertThat(EngineSummary.read(reader, batch.payload())).isEqualTo(batch.meaning());
    }
  }

  private static List<String> read(byte[] payload) {
    return EngineSummary.read(EngineBatchReader.create(), payload);
  }

  /** Ways in which a reader may be wrong. */
  enum Wrong {
    BAD_EVENT_TAKES_ITS_BATCH,
    NEGATIVE_HASHES_LOSE_THEIR_SIGN,
    LAST_TOKEN_OF_PAIRS_IS_LOST,
    PARENT_IS_LOST,
    BARE_SALTS_ARE_IGNORED,
    MEDIA_ARE_IGNORED,
    OWNERSHIP_IS_READ_AS_LOCALITY,
    FIRST_EVENT_IS_SKIPPED,
    REMOVALS_READ_AS_STORES
  }

  private static List<String> readWrongly(Wrong wrong, byte[] payload) {
    List<String> lines = read(payload);
    if (wrong == Wrong.FIRST_EVENT_IS_SKIPPED) {
      return Stream.concat(lines.stream().limit(1), lines.stream().skip(2)).toList();
    }
    if (wrong == Wrong.BAD_EVENT_TAKES_ITS_BATCH) {
      boolean isBad = lines.stream().anyMatch(line -> line.startsWith("fault"));
      return isBad ? lines.subList(0, 1) : lines;
    }
    return lines.stream().map(line -> distorted(wrong, line)).toList();
  }

  private static String distorted(Wrong wrong, String line) {
    return switch (wrong) {
      case NEGATIVE_HASHES_LOSE_THEIR_SIGN -> line.replaceAll("\\[-", "[");
      case LAST_TOKEN_OF_PAIRS_IS_LOST -> line.replaceAll("(pairs .*), -?\\d+] size", "$1] size");
      case PARENT_IS_LOST -> line.replaceAll("parent -?\\d+", "parent none");
      case BARE_SALTS_ARE_IGNORED -> line.replaceAll("salt \\S+/BARE", "salt null/NONE");
      case MEDIA_ARE_IGNORED -> line.replaceAll("media \\[[^]]+]", "media []");
      case OWNERSHIP_IS_READ_AS_LOCALITY ->
          line.replace("locality null ownership x", "locality x ownership null");
      case REMOVALS_READ_AS_STORES -> line.replace("REMOVED", "STORED");
      case BAD_EVENT_TAKES_ITS_BATCH, FIRST_EVENT_IS_SKIPPED -> line;
    };
  }

  @ParameterizedTest
  @EnumSource
  void shouldCatchEveryWrongReader(Wrong wrong) {
    int caught = 0;
    for (int seed = 0; seed < 200; seed++) {
      RandomEngineBatch batch = new RandomEngineBatch(RandomSource.seeded(seed));
      caught += readWrongly(wrong, batch.payload()).equals(batch.meaning()) ? 0 : 1;
    }
    assertThat(caught).as(wrong.name().toLowerCase(Locale.ROOT)).isPositive();
  }
}
