// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.RandomSource;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Figures are those of the recorded peer's own tests, tokens and seconds. */
class PrefillQueueTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long UNKNOWN = -1;

  private final PrefillQueue queue = new PrefillQueue();

  private PrefillQueue.Item add(long tokens, long seconds, long atSecond) {
    PrefillQueue.Item item =
        new PrefillQueue.Item(tokens, seconds == UNKNOWN ? UNKNOWN : seconds * SECOND);
    queue.add(item, atSecond * SECOND);
    return item;
  }

  private long at(long second) {
    return queue.active(second * SECOND);
  }

  @Test
  void shouldCountInFullWithoutPredictions() {
    PrefillQueue.Item first = add(100, UNKNOWN, 0);
    add(60, UNKNOWN, 2);

    assertThat(at(50)).isEqualTo(160);
    queue.remove(first, 50 * SECOND);
    assertThat(at(90)).isEqualTo(60);
  }

  @Test
  void shouldDecayIntoThePromptsBehindTheAnchor() {
    add(100, 10, 0);
    add(60, 6, 2);

    assertThat(at(2)).isEqualTo(140);
    assertThat(at(5)).isEqualTo(110);
    assertThat(at(12)).isEqualTo(40);
    assertThat(at(1_000)).isZero();
  }

  @Test
  void shouldDecayTheAnchorAloneWhenAnotherPromptIsNotPredicted() {
    add(100, 10, 0);
    add(60, UNKNOWN, 0);

    assertThat(at(5)).isEqualTo(110);
    assertThat(at(12)).isEqualTo(60);
  }

  @Test
  void shouldCountAnAnchorOfNoTimeAsDone() {
    add(100, 0, 0);
    add(60, 10, 0);

    assertThat(at(0)).isEqualTo(60);
  }

  @Test
  void shouldMoveTheAnchorForwardByWhatWasSpentOnARemovedPrompt() {
    add(100, 10, 0);
    PrefillQueue.Item second = add(40, 4, 0);

    assertThat(at(5)).isEqualTo(90);
    queue.remove(second, 5 * SECOND);
    assertThat(at(5)).isEqualTo(90);
  }

  @Test
  void shouldNeverMoveTheAnchorBeyondNow() {
    add(100, 10, 0);
    PrefillQueue.Item second = add(40, 4, 0);
    queue.remove(second, 2 * SECOND);

    assertThat(at(2)).isEqualTo(100);
    assertThat(at(3)).isEqualTo(90);
  }

  @Test
  void shouldAnchorTheNextPromptWhenTheFirstIsRemoved() {
    PrefillQueue.Item first = add(100, 10, 0);
    add(40, 8, 0);
    queue.remove(first, 3 * SECOND);

    assertThat(at(3)).isEqualTo(40);
    assertThat(at(5)).isEqualTo(30);
    queue.remove(first, 6 * SECOND);
    assertThat(at(5)).isEqualTo(30);
  }

  @Test
  void shouldAnchorANewWhenAnExpiredPromptIsRemoved() {
    PrefillQueue.Item first = add(10, 5, 0);
    add(30, 100, 250);
    queue.remove(first, 310 * SECOND);

    assertThat(at(310)).isEqualTo(30);
    assertThat(at(330)).isEqualTo(24);
  }

  @Property(tries = 300)
  void shouldStayBetweenZeroAndTheSumAndBeZeroWhenEmpty(@ForAll long seed) {
    RandomSource random = RandomSource.seeded(seed);
    List<PrefillQueue.Item> items = new ArrayList<>();
    List<Long> tokens = new ArrayList<>();
    long now = 0;
    for (int step = 0; step < 60; step++) {
      now += random.nextInt(3);
      if (items.isEmpty() || random.nextInt(3) > 0) {
        tokens.add((long) random.nextInt(50));
        items.add(add(tokens.get(tokens.size() - 1), random.nextInt(8) - 1, now));
      } else {
        int index = random.nextInt(items.size());
        queue.remove(items.remove(index), now * SECOND);
        tokens.remove(index);
      }
      long sum = tokens.stream().mapToLong(Long::longValue).sum();
      assertThat(at(now)).isBetween(0L, sum);
      assertThat(at(now + 1)).isLessThanOrEqualTo(at(now));
    }
    for (PrefillQueue.Item item : items) {
      queue.remove(item, now * SECOND);
    }
    assertThat(at(now)).isZero();
  }
}
