// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.collect;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.testing.AllocationMeter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class LongIntMapPropertyTest {

  @Property(tries = 200)
  void shouldBehaveLikeAMapOfCounts(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 200) int keyCount) {
    RandomSource random = RandomSource.seeded(seed);
    LongIntMap map = LongIntMap.create(random.nextLong());
    TreeMap<Long, Integer> model = new TreeMap<>();
    for (int step = 0; step < 1_000; step++) {
      long key = (random.nextInt(keyCount) - keyCount / 2) * 0x100000000L;
      int before = model.getOrDefault(key, 0);
      int value = random.nextInt(4) == 0 ? 0 : random.nextInt(7) - 3;
      if (random.nextInt(2) == 0) {
        assertThat(map.put(key, value)).isEqualTo(before);
        model.put(key, value);
      } else {
        assertThat(map.add(key, value)).isEqualTo(before + value);
        model.put(key, before + value);
      }
      model.values().removeIf(v -> v == 0);
      assertThat(map.size()).isEqualTo(model.size());
    }
    for (int i = 0; i < keyCount; i++) {
      long key = (i - keyCount / 2) * 0x100000000L;
      assertThat(map.get(key)).isEqualTo(model.getOrDefault(key, 0));
    }
  }

  @Property(tries = 40)
  void shouldShareSparesWithoutMixingMaps(@ForAll long seed) {
    RandomSource random = RandomSource.seeded(seed);
    LongIntMap.Spares spares = LongIntMap.Spares.create();
    List<LongIntMap> maps = new ArrayList<>();
    List<TreeMap<Long, Integer>> models = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      maps.add(LongIntMap.create(random.nextLong(), spares));
      models.add(new TreeMap<>());
    }
    for (int step = 0; step < 60; step++) {
      int chosen = random.nextInt(maps.size());
      boolean stores = random.nextInt(2) == 0;
      for (int i = random.nextInt(700); i >= 0; i--) {
        long key = random.nextInt(1_500);
        int value = stores ? 1 + step : 0;
        maps.get(chosen).put(key, value);
        models.get(chosen).put(key, value);
      }
      models.get(chosen).values().removeIf(value -> value == 0);
      for (int i = 0; i < maps.size(); i++) {
        assertThat(contents(maps.get(i))).isEqualTo(models.get(i));
      }
    }
  }

  @Test
  void shouldKeepNoRoomForKeysThatNeverCame() {
    LongIntMap map = LongIntMap.create(1);
    map.makeRoom(100_000);
    map.put(1, 1);
    map.put(2, 2);
    map.put(1, 0);

    long bytes = AllocationMeter.create().bytesOfOneRun(() -> map.makeRoom(1_000));
    assertThat(bytes).isGreaterThanOrEqualTo(2_048 * (Long.BYTES + Integer.BYTES));
    assertThat(contents(map)).containsExactly(Map.entry(2L, 2));
  }

  private static Map<Long, Integer> contents(LongIntMap map) {
    Map<Long, Integer> contents = new TreeMap<>();
    map.forEach(contents::put);
    return contents;
  }
}
