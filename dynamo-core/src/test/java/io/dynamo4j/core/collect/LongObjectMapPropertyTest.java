// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.collect;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.RandomSource;
import java.util.HashMap;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class LongObjectMapPropertyTest {

  @Property(tries = 200)
  void shouldAgreeWithHashMap(@ForAll long seed) {
    RandomSource random = RandomSource.seeded(seed);
    LongObjectMap<Integer> map = LongObjectMap.create(seed);
    Map<Long, Integer> reference = new HashMap<>();
    long spread = random.nextInt(2) == 0 ? 1 : 1L << 40;
    for (int i = 0; i < 400; i++) {
      long key = (random.nextInt(40) - 20) * spread;
      if (random.nextInt(5) < 3) {
        assertThat(map.put(key, i)).isEqualTo(reference.put(key, i));
      } else {
        assertThat(map.remove(key)).isEqualTo(reference.remove(key));
      }
      assertThat(map.size()).isEqualTo(reference.size());
      assertThat(map.get(key)).isEqualTo(reference.get(key));
    }
    Map<Long, Integer> seen = new HashMap<>();
    map.forEach(seen::put);
    assertThat(seen).isEqualTo(reference);
  }
}
