// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.RandomSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random arrivals, ends and cancels against what must hold after each of them. */
class AdmissionQueueModelTest {
  private static final int SEEDS = 40;
  private static final int STEPS = 80;

  @ParameterizedTest
  @EnumSource(QueuePolicy.class)
  void shouldKeepNobodyWaitingBesideAFreeWorkerAndLoseNobody(QueuePolicy policy) {
    for (long seed = 1; seed <= SEEDS; seed++) {
      new Run(seed, policy).play();
    }
  }

  private static final class Run {
    private final String name;
    private final QueuePolicy policy;
    private final RandomSource random;
    private final int workers;
    private final QueueFixture fixture;
    private final List<String> asked = new ArrayList<>();
    private final List<String> givenUp = new ArrayList<>();
    private final List<String> ended = new ArrayList<>();

    Run(long seed, QueuePolicy policy) {
      this.name = "seed=" + seed;
      this.policy = policy;
      this.random = RandomSource.seeded(seed);
      this.workers = 1 + random.nextInt(3);
      this.fixture = new QueueFixture(seed, workers, QueueFixture.half(policy));
    }

    void play() {
      for (int i = 0; i < STEPS; i++) {
        step();
        check();
      }
      while (ended.size() < asked.size() - givenUp.size()) {
        end();
        check();
      }
      assertThat(fixture.router.queueStatus().requests()).as(name).isZero();
      if (policy == QueuePolicy.FCFS) {
        List<String> inOrder = new ArrayList<>(asked);
        inOrder.removeAll(givenUp);
        assertThat(fixture.admitted()).as(name).isEqualTo(inOrder);
      }
    }

    private void step() {
      int action = random.nextInt(10);
      if (action < 5) {
        asked.add("r" + asked.size());
        fixture.ask(asked.get(asked.size() - 1), 1 + random.nextInt(90));
      } else if (action < 9) {
        end();
      } else {
        giveUp();
      }
    }

    private void end() {
      List<String> running = new ArrayList<>(fixture.admitted());
      running.removeAll(ended);
      if (!running.isEmpty()) {
        String id = running.get(random.nextInt(running.size()));
        if (random.nextInt(2) == 0) {
          fixture.computed(id);
        }
        ended.add(id);
        fixture.ended(id);
      }
    }

    private void giveUp() {
      List<String> waiting = new ArrayList<>(asked);
      waiting.removeIf(fixture::isResolved);
      if (!waiting.isEmpty()) {
        String id = waiting.get(random.nextInt(waiting.size()));
        givenUp.add(id);
        assertThat(fixture.giveUp(id)).as(name).isTrue();
        fixture.simulation.runFor(1_000_000);
      }
    }

    private void check() {
      int waiting = asked.size() - givenUp.size() - fixture.admitted().size();
      assertThat(fixture.router.queueStatus().requests()).as(name).isEqualTo(waiting);
      assertThat(fixture.router.bookingCount())
          .as(name)
          .isEqualTo(fixture.admitted().size() - ended.size());
      for (long id = 1; waiting > 0 && id <= workers; id++) {
        assertThat(fixture.router.load(worker(id)).prefillTokens())
            .as("%s: waiting=%s, worker=%s", name, waiting, id)
            .isGreaterThan(QueueFixture.BATCHED_TOKENS / 2);
      }
    }
  }
}
