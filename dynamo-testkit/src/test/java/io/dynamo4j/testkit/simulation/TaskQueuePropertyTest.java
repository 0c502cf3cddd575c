// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** The kernel against a sorted list: same tasks, same order, whatever is added and cancelled. */
class TaskQueuePropertyTest {

  private record Entry(long time, int number, Cancellable handle) {}

  @Property(tries = 200)
  void shouldRunWhatASortedListWouldWhenTasksAreAddedAndCancelled(@ForAll long seed) {
    assertSameOrder(seed, lane -> lane);
  }

  @Example
  void shouldNoticeALaneThatIsNowAndThenANanosecondLate() {
    assertThat(seedsThatFail(LateNowAndThen::new)).isNotEmpty();
  }

  @Example
  void shouldNoticeALaneThatForgetsACancel() {
    assertThat(seedsThatFail(ForgetsCancel::new)).isNotEmpty();
  }

  private static List<Long> seedsThatFail(UnaryOperator<Scheduler> planted) {
    List<Long> failing = new ArrayList<>();
    for (long seed = 0; seed < 20; seed++) {
      try {
        assertSameOrder(seed, planted);
      } catch (AssertionError caught) {
        failing.add(seed);
      }
    }
    return failing;
  }

  private static void assertSameOrder(long seed, UnaryOperator<Scheduler> planted) {
    RandomSource random = RandomSource.seeded(seed);
    Simulation simulation = Simulation.builder().seed(seed).mode(Mode.REFERENCE).build();
    Scheduler lane = planted.apply(simulation.controller());
    List<Integer> ran = new ArrayList<>();
    List<Integer> expected = new ArrayList<>();
    List<Entry> model = new ArrayList<>();
    int operations = 1 + random.nextInt(600);
    for (int i = 0; i < operations; i++) {
      int choice = random.nextInt(10);
      if (choice < 5) {
        int number = i;
        long delay = random.nextInt(50);
        Cancellable handle = lane.schedule(() -> ran.add(number), delay);
        model.add(new Entry(simulation.nowNanos() + delay, number, handle));
      } else if (choice < 9 && !model.isEmpty()) {
        Entry entry = model.remove(random.nextInt(model.size()));
        assertThat(entry.handle().cancel()).isTrue();
      } else {
        long until = simulation.nowNanos() + random.nextInt(20);
        simulation.runUntil(until);
        takeDue(model, until, expected);
      }
      assertThat(simulation.pendingTaskCount()).isEqualTo(model.size());
    }
    simulation.run();
    takeDue(model, Long.MAX_VALUE, expected);
    assertThat(ran).isEqualTo(expected);
  }

  private static void takeDue(List<Entry> model, long until, List<Integer> expected) {
    model.stream()
        .filter(entry -> entry.time() <= until)
        .sorted(Comparator.comparingLong(Entry::time).thenComparingInt(Entry::number))
        .forEach(entry -> expected.add(entry.number()));
    model.removeIf(entry -> entry.time() <= until);
  }

  private static class Planted implements Scheduler {
    final Scheduler right;
    int calls;

    Planted(Scheduler right) {
      this.right = right;
    }

    @Override
    public NanoClock clock() {
      return right.clock();
    }

    @Override
    public void execute(Runnable task) {
      right.execute(task);
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
      return right.schedule(task, delayNanos);
    }
  }

  private static final class LateNowAndThen extends Planted {
    LateNowAndThen(Scheduler right) {
      super(right);
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
      return right.schedule(task, ++calls % 50 == 0 ? delayNanos + 1 : delayNanos);
    }
  }

  private static final class ForgetsCancel extends Planted {
    ForgetsCancel(Scheduler right) {
      super(right);
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
      Cancellable handle = right.schedule(task, delayNanos);
      return ++calls % 20 == 0 ? () -> true : handle;
    }
  }
}
