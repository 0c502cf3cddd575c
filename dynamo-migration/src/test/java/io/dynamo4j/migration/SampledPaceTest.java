// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.migration.event.AttemptPhase;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.testkit.script.WorkerScript;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Silence is found soon, and never before its bound, though the time of few tokens is taken. */
class SampledPaceTest {
  private static final long MILLI = 1_000_000;
  private static final double FACTOR = 4;
  private static final Duration FLOOR = Duration.ofSeconds(2);
  private static final long LOOK = FLOOR.toNanos() / 8;
  private static final int ROUNDS = 500;

  /** Gaps between tokens, the first of them before the first token, and the end of the stream. */
  private record Pace(List<Long> gaps) {

    static Pace draw(RandomSource random) {
      boolean slow = random.nextInt(6) == 0;
      long usual = 1L + random.nextInt(random.nextInt(4) == 0 ? 400 : 60);
      int count = 1 + random.nextInt(60);
      List<Long> gaps = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        if (slow) {
          gaps.add((501 + random.nextInt(900)) * MILLI + i);
          continue;
        }
        gaps.add(
            switch (random.nextInt(12)) {
              case 0 -> 0L;
              case 1 -> random.nextInt(random.nextInt(2) == 0 ? 4_000 : 700) * MILLI + i;
              default -> (1 + random.nextInt((int) (2 * usual))) * MILLI + i;
            });
      }
      return new Pace(gaps);
    }

    WorkerScript script() {
      WorkerScript script = WorkerScript.open();
      for (long gap : gaps) {
        script = script.pauseNanos(gap).chunk(1);
      }
      return script;
    }

    long timeOf(int token) {
      return gaps.subList(0, token + 1).stream().mapToLong(gap -> gap).sum();
    }

    private List<Long> gapsUpTo(int token, int most) {
      return gaps.subList(Math.max(1, token + 1 - most), token + 1);
    }

    /**
     * Returns the least bound on silence after a token: by all of the last gaps where each matters,
     * else by those that must have counted.
     */
    long earliestNanos(int token) {
      if (token < StallDetection.GAPS) {
        return Long.MAX_VALUE;
      }
      List<Long> last = gapsUpTo(token, StallDetection.GAPS);
      boolean allMatter = last.stream().allMatch(gap -> FACTOR * gap > FLOOR.toNanos());
      long longest = allMatter ? Collections.max(last) : last.get(0);
      return Math.max(FLOOR.toNanos(), (long) (FACTOR * longest));
    }

    /** Returns by when silence after a token must have been found. */
    long latestNanos(int token) {
      if (token < StallDetection.GAPS) {
        return Long.MAX_VALUE;
      }
      long together =
          gapsUpTo(token, 2 * StallDetection.GAPS - 1).stream().mapToLong(gap -> gap).sum();
      return Math.max(FLOOR.toNanos(), (long) (FACTOR * together)) + LOOK;
    }

    long silenceAfter(int token) {
      return token + 1 < gaps.size() ? gaps.get(token + 1) : Long.MAX_VALUE;
    }
  }

  private static Rig rig(WorkerScript first) {
    MigrationOptions options =
        MigrationOptions.builder()
            .limit(1)
            .stallDetection(StallDetection.of(FACTOR, FLOOR))
            .build();
    return Rig.of(Migrator.builder().options(options))
        .worker(1, first)
        .worker(2, WorkerScript.open().answer());
  }

  private static PreprocessedRequest request() {
    return Rig.request().stopConditions(StopConditions.builder().maxTokens(64).build()).build();
  }

  private static RecordingClient client(int window) {
    return window == 0
        ? RecordingClient.unbounded()
        : RecordingClient.requesting(window).onItem(self -> self.request(1));
  }

  private static void check(long seed) {
    RandomSource random = RandomSource.seeded(seed);
    Pace pace = Pace.draw(random);
    RecordingClient client = client(random.nextInt(4));
    Rig rig = rig(pace.script());

    rig.run(request(), client);

    List<MigrationEvent.StreamLost> losses = rig.events(MigrationEvent.StreamLost.class);
    if (losses.isEmpty()) {
      for (int token = 0; token < pace.gaps.size(); token++) {
        assertThat(pace.latestNanos(token)).isGreaterThanOrEqualTo(pace.silenceAfter(token));
      }
      return;
    }
    assertThat(client.tokens()).containsExactly(Rig.answer(64));
    int last = (int) losses.get(0).tokensDelivered() - 1;
    long silent = losses.get(0).attemptNanos() - pace.timeOf(last);
    assertThat(silent).isBetween(pace.earliestNanos(last), pace.latestNanos(last));
    for (int token = 0; token < last; token++) {
      assertThat(pace.latestNanos(token)).isGreaterThanOrEqualTo(pace.silenceAfter(token));
    }
  }

  @Test
  void shouldFindSilenceSoonAndNeverBeforeItsBoundWhateverThePace() {
    for (long seed = 0; seed < ROUNDS; seed++) {
      try {
        check(seed);
      } catch (AssertionError failure) {
        throw new AssertionError("seed=" + seed, failure);
      }
    }
  }

  @Test
  void shouldFindSilenceAnEighthOfFloorLateAtMostWhenPaceIsFast() {
    for (int tokens = 9; tokens < 32; tokens++) {
      Pace pace = new Pace(Collections.nCopies(tokens, 20 * MILLI));
      Rig rig = rig(pace.script());

      rig.run(request());

      MigrationEvent.StreamLost lost = rig.events(MigrationEvent.StreamLost.class).get(0);
      assertThat(lost.attemptNanos() - pace.timeOf(tokens - 1))
          .isBetween(FLOOR.toNanos(), FLOOR.toNanos() + LOOK);
      MigrationEvent.Stalled stalled = rig.events(MigrationEvent.Stalled.class).get(0);
      assertThat(stalled.waitedFor()).isEqualTo(AttemptPhase.NEXT_TOKEN);
      assertThat(stalled.waitedNanos()).isEqualTo(FLOOR.toNanos());
    }
  }

  @Test
  void shouldNotMoveStreamThatStutters() {
    List<Long> gaps = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      gaps.add(i % 11 == 10 ? 1_999 * MILLI : 20 * MILLI);
    }
    Rig rig = rig(new Pace(gaps).script().answer());

    assertThat(rig.run(request()).isCompleted()).isTrue();
    assertThat(rig.dispatches()).hasSize(1);
  }

  @Test
  void shouldNotTakeClientsPauseForWorkersSilenceOrPace() {
    Rig rig = rig(new Pace(Collections.nCopies(40, 20 * MILLI)).script());
    RecordingClient client =
        RecordingClient.requesting(3)
            .onItem(
                self -> rig.simulation.controller().schedule(() -> self.request(1), 5_000 * MILLI));

    rig.run(request(), client);

    assertThat(client.tokens()).containsExactly(Rig.answer(64));
    MigrationEvent.Stalled stalled = rig.events(MigrationEvent.Stalled.class).get(0);
    assertThat(stalled.tokensDelivered()).isEqualTo(40);
    assertThat(stalled.waitedNanos()).isEqualTo(FLOOR.toNanos());
  }
}
