// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.testkit.simulation.Mode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random loads on small engines: against plain collections, and against the engine's promises. */
class MockEnginePropertyTest {
  private static final int BLOCK = 4;

  /** A load of one seed: prompts grow from few roots, so that prefixes are shared at all depths. */
  private static final class Load {
    final RandomSource random;
    final List<ReferenceScheduler.Row> rows = new ArrayList<>();
    final List<int[]> prompts = new ArrayList<>();
    final MockEngineConfig config;

    Load(long seed, int capacityBlocks, int maxBlocks) {
      random = RandomSource.seeded(seed);
      config =
          MockEngineConfig.builder()
              .blockSize(BLOCK)
              .capacityBlocks(capacityBlocks)
              .maxBatchedTokens(8 + random.nextInt(60))
              .maxSequences(1 + random.nextInt(6))
              .build();
      double millis = 0;
      List<long[]> earlier = new ArrayList<>();
      long nextBlock = 1;
      for (int i = 0; i < 60; i++) {
        millis += random.nextInt(3) == 0 ? 0 : random.nextInt(40);
        int input = 1 + random.nextInt(maxBlocks * BLOCK);
        long[] blocks = new long[(input + BLOCK - 1) / BLOCK];
        int shared = 0;
        if (!earlier.isEmpty() && random.nextInt(4) > 0) {
          long[] other = earlier.get(random.nextInt(earlier.size()));
          shared = Math.min(blocks.length, random.nextInt(other.length + 1));
          System.arraycopy(other, 0, blocks, 0, shared);
        }
        for (int k = shared; k < blocks.length; k++) {
          blocks[k] = nextBlock++;
        }
        earlier.add(blocks);
        rows.add(new ReferenceScheduler.Row(millis, input, 1 + random.nextInt(12), blocks));
        prompts.add(tokens(blocks, input));
      }
    }

    private static int[] tokens(long[] blocks, int input) {
      int[] tokens = new int[input];
      for (int i = 0; i < input; i++) {
        tokens[i] = (int) blocks[i / BLOCK] * 16 + i % BLOCK;
      }
      return tokens;
    }
  }

  private static final class Run {
    final EngineFixture fixture;
    final Load load;
    final List<RecordingSink> sinks = new ArrayList<>();

    Run(Load load, long seed, Mode mode) {
      this.load = load;
      this.fixture = new EngineFixture(load.config, seed, mode);
    }

    Run go() {
      Scheduler controller = fixture.simulation.controller();
      for (int i = 0; i < load.rows.size(); i++) {
        int index = i;
        ReferenceScheduler.Row row = load.rows.get(i);
        controller.schedule(
            () ->
                sinks.add(
                    fixture.send(
                        EngineFixture.request(
                            Integer.toString(index), load.prompts.get(index), index, row.output))),
            Math.round(row.arrivalMillis * 1e6));
      }
      fixture.simulation.run();
      return this;
    }

    int[] cachedTokens() {
      int[] cached = new int[load.rows.size()];
      for (String line : fixture.log) {
        if (line.startsWith("admitted")) {
          String[] words = line.split(" ", -1);
          cached[Integer.parseInt(words[1])] =
              Integer.parseInt(words[2].substring(0, words[2].indexOf('/')));
        }
      }
      return cached;
    }
  }

  private static boolean agrees(Load load, ReferenceScheduler.Flaw flaw, long seed) {
    ReferenceScheduler reference = new ReferenceScheduler(load.config, flaw);
    reference.run(load.rows);
    if (reference.overcommitted) {
      return true;
    }
    Run run = new Run(load, seed, Mode.REFERENCE).go();
    double last = load.rows.stream().mapToDouble(row -> row.lastTokenMillis).max().orElse(0);
    return Arrays.equals(
            run.cachedTokens(), load.rows.stream().mapToInt(row -> row.cached).toArray())
        && Math.abs(run.fixture.simulation.nowNanos() / 1e6 - last) < 0.001;
  }

  @Test
  void shouldReuseAndFinishAsThePlainRulesSay() {
    for (long seed = 1; seed <= 150; seed++) {
      Load load = new Load(seed, 24 + (int) (seed % 40), 12);
      assertThat(agrees(load, ReferenceScheduler.Flaw.NONE, seed)).as("seed=" + seed).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void shouldNoticeWhenTheRulesDiffer(ReferenceScheduler.Flaw flaw) {
    int differences = 0;
    for (long seed = 1; seed <= 60; seed++) {
      Load load = new Load(seed, 24 + (int) (seed % 40), 12);
      differences += agrees(load, flaw, seed) ? 0 : 1;
    }
    assertThat(differences).isPositive();
  }

  /** Pools that barely hold the largest request: preemption all the time, in any order of lanes. */
  @Test
  void shouldDeliverEveryStreamExactlyWhenThePoolIsTiny() {
    long preemptions = 0;
    for (long seed = 1; seed <= 150; seed++) {
      Load load = new Load(seed, 16, 12);
      Run run = new Run(load, seed, Mode.RANDOM_TIES).go();
      preemptions += run.fixture.engine.preemptionCount();
      for (int i = 0; i < load.rows.size(); i++) {
        assertThat(run.sinks.get(i).isComplete).as("seed=" + seed + ", row=" + i).isTrue();
        assertThat(run.sinks.get(i).tokenArray())
            .as("seed=" + seed + ", row=" + i)
            .isEqualTo(expectedTokens(i, load.prompts.get(i), load.rows.get(i).output));
      }
      assertMirrorEqualsCache(run.fixture, "seed=" + seed);
    }
    assertThat(preemptions).isGreaterThan(100);
  }

  @Test
  void shouldKeepItsBooksWhenClientsCancelAndTheCacheIsCleared() {
    long cancelled = 0;
    for (long seed = 1; seed <= 100; seed++) {
      Load load = new Load(seed, 18, 12);
      Run run = new Run(load, seed, Mode.RANDOM_TIES);
      Scheduler controller = run.fixture.simulation.controller();
      for (int i = 0; i < 40; i++) {
        controller.schedule(() -> disturb(run), (long) (load.random.nextDouble() * 1_500_000_000L));
      }
      run.go();
      assertThat(run.fixture.engine.runningCount() + run.fixture.engine.waitingCount()).isZero();
      cancelled += run.fixture.log.stream().filter(line -> line.contains("CANCELLED")).count();
      assertMirrorEqualsCache(run.fixture, "seed=" + seed);
    }
    assertThat(cancelled).isGreaterThan(100);
  }

  private static void disturb(Run run) {
    if (run.sinks.isEmpty()) {
      return;
    }
    RandomSource random = run.load.random;
    RecordingSink sink = run.sinks.get(random.nextInt(run.sinks.size()));
    switch (random.nextInt(5)) {
      case 0 -> sink.disappear();
      case 1 -> run.fixture.engine.clearCache();
      default -> sink.cancel();
    }
  }

  private static void assertMirrorEqualsCache(EngineFixture fixture, String what) {
    CacheMirror mirror = new CacheMirror();
    mirror.applyAll(fixture.events);
    long[] cached = fixture.engine.cachedBlockHashes();
    Arrays.sort(cached);
    assertThat(mirror.sortedBlocks()).as(what).isEqualTo(cached);
    assertThat(fixture.engine.nextEventId()).isEqualTo(fixture.events.size());
  }

  private static int[] expectedTokens(long seed, int[] prompt, int count) {
    long h = TokenFunction.start(seed);
    for (int token : prompt) {
      h = TokenFunction.take(h, token);
    }
    int[] tokens = new int[count];
    for (int i = 0; i < count; i++) {
      tokens[i] = TokenFunction.next(h);
      h = TokenFunction.take(h, tokens[i]);
    }
    return tokens;
  }
}
