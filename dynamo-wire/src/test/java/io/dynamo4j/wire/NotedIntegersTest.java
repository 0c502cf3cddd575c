// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.RandomSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class NotedIntegersTest {

  @Property(tries = 500)
  void shouldReadTheSameAfterAWalkThatNotes(@ForAll long seed) {
    RandomSource random = RandomSource.seeded(seed);
    int arrays = 1 + random.nextInt(40);
    MsgpackWriter out = MsgpackWriter.ofExpectedSize(64).array(arrays);
    List<int[]> written = new ArrayList<>();
    for (int i = 0; i < arrays; i++) {
      int[] numbers = new int[random.nextInt(80)];
      Arrays.setAll(numbers, at -> (int) random.nextLong() >>> random.nextInt(32));
      out.array(numbers.length);
      for (int number : numbers) {
        out.unsigned(Integer.toUnsignedLong(number));
      }
      written.add(numbers);
    }
    byte[] bytes = out.toByteArray();
    NotedIntegers notes = new NotedIntegers();
    MsgpackReader noting = MsgpackReader.of(bytes);
    MsgpackReader plain = MsgpackReader.of(bytes);

    assertThat(noting.depth(notes)).isEqualTo(plain.depth()).isEqualTo(2);
    noting.readArrayHeader();
    plain.readArrayHeader();
    for (int[] numbers : written) {
      assertThat(noting.readArrayHeader()).isEqualTo(plain.readArrayHeader());
      assertThat(read(noting, numbers.length)).isEqualTo(numbers);
      assertThat(read(plain, numbers.length)).isEqualTo(numbers);
      assertThat(noting.position()).isEqualTo(plain.position());
    }
  }

  private static int[] read(MsgpackReader in, int count) {
    int[] read = new int[count];
    in.readBits32(read, count);
    return read;
  }

  @Test
  void shouldGiveOnlyTheWholeArrayThatStandsThere() {
    NotedIntegers notes = new NotedIntegers();
    int[] values = notes.reserve(16);
    Arrays.fill(values, 0, 16, 7);
    notes.add(100, 116, 16);

    int[] out = new int[16];
    assertThat(notes.copy(99, out, 16)).isEqualTo(-1);
    assertThat(notes.copy(100, out, 15)).isEqualTo(-1);
    assertThat(notes.copy(100, out, 16)).isEqualTo(116);
    assertThat(out).containsOnly(7);
    notes.clear();
    assertThat(notes.copy(100, out, 16)).isEqualTo(-1);
  }

  @Test
  void shouldKeepNoMoreThanUsualMessagesHave() {
    NotedIntegers notes = new NotedIntegers();
    assertThat(notes.wants(15)).isFalse();
    assertThat(notes.wants(1 << 16)).isTrue();
    notes.reserve(20);
    notes.add(0, 20, 20);
    assertThat(notes.wants(1 << 16)).isFalse();
  }
}
