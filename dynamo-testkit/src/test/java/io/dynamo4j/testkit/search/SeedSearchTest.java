// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SeedSearchTest {
  private static final String[] KINDS = {"crash", "delay", "drop", "stall"};

  private static ScenarioSpec draw(long seed) {
    RandomSource random = RandomSource.seeded(seed).split("faults");
    List<FaultSpec> faults = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      faults.add(
          new FaultSpec(
              KINDS[random.nextInt(KINDS.length)],
              "request:" + random.nextInt(400),
              "any",
              random.nextDouble()));
    }
    return ScenarioSpec.of(seed, 8, 200).withSetting("blocks", 64).withFaults(faults);
  }

  @Test
  void shouldReduceToTheTwoFaultsThatMatterAndTheFewestRequests() {
    SeedSearch.Report report =
        SeedSearch.of(new ToyScenarioRunner(), SeedSearchTest::draw).run(0, 50);

    SeedSearch.Finding finding = report.finding().orElseThrow();
    ScenarioSpec reduced = finding.reduced().spec();
    assertThat(reduced.faults()).hasSize(2);
    assertThat(reduced.faults())
        .extracting(FaultSpec::kind)
        .containsExactlyInAnyOrder("crash", "drop");
    int lastHit =
        reduced.faults().stream()
            .mapToInt(fault -> Integer.parseInt(fault.trigger().substring("request:".length())))
            .max()
            .orElseThrow();
    assertThat(reduced.requests()).isEqualTo(lastHit + 1);
    assertThat(reduced.workers()).isEqualTo(1);
    assertThat(reduced.settings()).isEmpty();
    assertThat(finding.reduced().runs()).isLessThan(100);
    assertThat(report.events()).isPositive();
  }

  @Test
  void shouldReplayTheReducedRunFromItsLine() {
    var reduced =
        SeedSearch.of(new ToyScenarioRunner(), SeedSearchTest::draw)
            .run(0, 50)
            .finding()
            .orElseThrow()
            .reduced();
    String line = reduced.replayLine();
    assertThat(line).doesNotContain("\n").contains("violation=lost", "traceHash=", "jdk=");
    RunOutcome again = new ToyScenarioRunner().run(ReplayLine.parse(line));
    assertThat(again.traceHash()).isEqualTo(reduced.outcome().traceHash());
    assertThat(again.violation()).isEqualTo(reduced.outcome().violation());
  }

  @Test
  void shouldKeepTheViolationKindWhenReducing() {
    // Fewer than ten requests break something else.
    ScenarioRunner runner =
        spec -> {
          RunOutcome outcome = new ToyScenarioRunner().run(ScenarioSpec.of(1, 1, 1));
          return outcomeOf(outcome, spec.requests() < 10 ? "few" : "many");
        };
    ScenarioSpec spec = ScenarioSpec.of(1, 4, 100);
    var reduced = Shrinker.shrink(runner, spec, runner.run(spec), 100);
    assertThat(reduced.spec().requests()).isEqualTo(10);
    assertThat(reduced.outcome().violation().orElseThrow().kind()).isEqualTo("many");
  }

  private static RunOutcome outcomeOf(RunOutcome base, String kind) {
    var simulation = Simulation.builder().build();
    return RunOutcome.violated(
        simulation, new RunOutcome.Violation(kind, "events=" + base.eventCount()), base.facts());
  }

  @Test
  void shouldStopReducingWhenTheRunsAreUsedUp() {
    ScenarioSpec spec = findFailing();
    var reduced =
        Shrinker.shrink(new ToyScenarioRunner(), spec, new ToyScenarioRunner().run(spec), 3);
    assertThat(reduced.runs()).isEqualTo(3);
    assertThat(reduced.outcome().violation()).isPresent();
  }

  @Test
  void shouldRefuseToReduceWhenNothingIsBroken() {
    ScenarioSpec spec = ScenarioSpec.of(1, 1, 5);
    assertThatThrownBy(
            () ->
                Shrinker.shrink(
                    new ToyScenarioRunner(), spec, new ToyScenarioRunner().run(spec), 9))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static ScenarioSpec findFailing() {
    return SeedSearch.of(new ToyScenarioRunner(), SeedSearchTest::draw)
        .run(0, 50)
        .finding()
        .orElseThrow()
        .spec();
  }

  @Test
  void shouldCountFactsAndNameThoseNeverReached() {
    SeedSearch.Report report =
        SeedSearch.of(new ToyScenarioRunner(), seed -> draw(seed).withRequests(0)).run(0, 5);
    assertThat(report.finding()).isEmpty();
    assertThat(report.seeds()).isEqualTo(5);
    assertThat(report.unreached(List.of("crash", "drop"))).containsExactly("crash", "drop");

    SeedSearch.Report reached =
        SeedSearch.of(
                new ToyScenarioRunner(),
                seed ->
                    ScenarioSpec.of(seed, 1, 5)
                        .withFaults(List.of(new FaultSpec("drop", "request:1", "any", 1))))
            .run(0, 5);
    assertThat(reached.facts()).containsEntry("drop", 5L);
    assertThat(reached.unreached(List.of("crash", "drop"))).containsExactly("crash");
  }

  @Test
  void shouldReadBackWhatASpecWrites() {
    for (long seed = 0; seed < 50; seed++) {
      ScenarioSpec spec = draw(seed);
      assertThat(ScenarioSpec.parse(spec.toString())).isEqualTo(spec);
    }
    ScenarioSpec bare = ScenarioSpec.of(-1, 1, 0);
    assertThat(ScenarioSpec.parse(bare.toString())).isEqualTo(bare);
    assertThatThrownBy(() -> ScenarioSpec.parse("seed=1"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new FaultSpec("a b", "t", "x", 1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldDrawEachMixFromTheSeedWithinItsRange() {
    FaultMix mix =
        FaultMix.builder()
            .fault("crash", 100, 3)
            .fault("loss", 0.001, 0.5)
            .fault("stall", 1, 30)
            .build();
    int on = 0;
    for (long seed = 0; seed < 1000; seed++) {
      SortedMap<String, Double> swarm = mix.swarm(RandomSource.seeded(seed));
      assertThat(swarm).isEqualTo(mix.swarm(RandomSource.seeded(seed)));
      on += swarm.size();
      assertThat(swarm.getOrDefault("crash", 50.0)).isBetween(3.0, 100.0);
      assertThat(swarm.getOrDefault("loss", 0.1)).isBetween(0.001, 0.5);
      assertThat(mix.allOn(RandomSource.seeded(seed))).hasSize(3);
      assertThat(mix.directed(RandomSource.seeded(seed), List.of("loss")))
          .containsOnlyKeys("loss")
          .allSatisfy((kind, strength) -> assertThat(strength).isBetween(0.02, 0.5));
    }
    assertThat(on).isBetween(1300, 1700);
    assertThatThrownBy(() -> mix.directed(RandomSource.seeded(1), List.of("typo")))
        .hasMessageContaining("typo");
  }

  @Test
  void shouldLeaveOtherDrawsAloneWhenAKindIsAdded() {
    FaultMix small = FaultMix.builder().fault("b", 1, 10).build();
    FaultMix large = FaultMix.builder().fault("a", 1, 10).fault("b", 1, 10).build();
    for (long seed = 0; seed < 20; seed++) {
      SortedMap<String, Double> fromLarge = new TreeMap<>(large.swarm(RandomSource.seeded(seed)));
      fromLarge.remove("a");
      assertThat(fromLarge).isEqualTo(small.swarm(RandomSource.seeded(seed)));
    }
  }
}
