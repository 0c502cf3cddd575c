// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.policy;

import io.dynamo4j.benchmarks.Bench;
import io.dynamo4j.benchmarks.BenchOptions;
import io.dynamo4j.benchmarks.BenchResult;
import io.dynamo4j.benchmarks.BenchResult.Fact;
import io.dynamo4j.benchmarks.BenchResult.Row;
import io.dynamo4j.benchmarks.SharedFolder;
import io.dynamo4j.simulation.fleet.FleetConditions;
import io.dynamo4j.simulation.fleet.FleetPolicy;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The router's two policies in whole simulated fleets. All times are virtual, so that figures are
 * the same on every machine; only the cost of a decision is measured.
 */
public final class PolicyBench implements Bench {
  private static final int TIE_SEEDS = 10;
  private static final int RECORDED_SEEDS = 3;
  private static final double NORMAL_LOAD_MILLIS = 600;

  /** What can run alone. */
  public enum Part {
    RECORDED("kv against recorded runs of Dynamo's own simulation"),
    BARS("kv-predicted against kv on the conversation trace, ten seeds of ties"),
    SETTINGS("kv-predicted against kv on 88 settings"),
    DISTURBANCES("kv-predicted against kv where something goes wrong"),
    COST("a decision of kv-predicted against one of kv");

    private final String description;

    Part(String description) {
      this.description = description;
    }
  }

  private final String name;
  private final String description;
  private final Set<Part> parts;
  private final List<Row> rows = new ArrayList<>();
  private final List<Fact> facts = new ArrayList<>();

  private PolicyBench(String name, String description, Set<Part> parts) {
    this.name = name;
    this.description = description;
    this.parts = parts;
  }

  /** Returns all parts. */
  public static PolicyBench all() {
    return new PolicyBench(
        "policy", "routing policies in simulated fleets, all parts", EnumSet.allOf(Part.class));
  }

  /** Returns one part, named {@code policy-} and the part. */
  public static PolicyBench of(Part part) {
    return new PolicyBench(
        "policy-" + part.name().toLowerCase(Locale.ROOT), part.description, EnumSet.of(part));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String description() {
    return description;
  }

  @Override
  public BenchResult run(BenchOptions options) {
    rows.clear();
    facts.clear();
    if (!PolicyTraces.arePresent()) {
      SharedFolder.requireUnlessOptional(PolicyTraces.file("C"));
      return new BenchResult(List.of(), List.of(new Fact(name + " traces absent", 1, "count")));
    }
    PolicyRuns runs = new PolicyRuns();
    if (parts.contains(Part.RECORDED)) {
      recorded(runs, options.quick());
    }
    if (parts.contains(Part.BARS) && !options.quick()) {
      bar(runs, PolicySetting.parse("C 8/2048/1"));
      bar(runs, PolicySetting.parse("C 64/2048/8"));
    }
    if (parts.contains(Part.SETTINGS)) {
      settings(runs, options.quick() ? PolicySettings.QUICK : PolicySettings.ALL);
    }
    if (parts.contains(Part.DISTURBANCES)) {
      disturbances(runs, options.quick());
    }
    if (parts.contains(Part.COST)) {
      rows.addAll(DecisionCost.measure(options));
    }
    return new BenchResult(rows, facts);
  }

  /* --------------- Against recorded runs --------------- */

  private void recorded(PolicyRuns runs, boolean quick) {
    RecordedRanges recorded = RecordedRanges.read();
    List<PolicySetting> settings =
        quick ? PolicySettings.RECORDED.subList(0, 2) : PolicySettings.RECORDED;
    for (PolicySetting setting : settings) {
      PolicyFigures ours = runs.run(setting, FleetPolicy.KV, quick ? 1 : RECORDED_SEEDS);
      PolicyFigures theirs = PolicyFigures.mean(recorded.of(setting));
      String what = "policy recorded kv, " + setting;
      rows.add(Row.higherIsBetter(what + ", hit", ours.hitPercent(), theirs.hitPercent(), "%"));
      rows.add(
          Row.lowerIsBetter(what + ", mean TTFT", ours.ttftMillis(), theirs.ttftMillis(), "ms"));
    }
  }

  /* --------------- Against each other --------------- */

  private void bar(PolicyRuns runs, PolicySetting setting) {
    PolicyFigures kv = runs.run(setting, FleetPolicy.KV, TIE_SEEDS);
    PolicyFigures predicted = runs.run(setting, FleetPolicy.KV_PREDICTED, TIE_SEEDS);
    compare("policy bar, " + setting, predicted, kv);
  }

  private void settings(PolicyRuns runs, List<PolicySetting> settings) {
    Comparison normal = new Comparison();
    for (PolicySetting setting : settings) {
      boolean secondHalf = setting.trace().startsWith("C");
      PolicyFigures kv = runs.run(setting, FleetPolicy.KV, 1, secondHalf, FleetConditions::builder);
      PolicyFigures predicted =
          runs.run(setting, FleetPolicy.KV_PREDICTED, 1, secondHalf, FleetConditions::builder);
      boolean isNormal = kv.ttftMillis() < NORMAL_LOAD_MILLIS;
      compare("policy " + (isNormal ? "setting, " : "overload, ") + setting, predicted, kv);
      if (isNormal) {
        normal.add(predicted, kv);
      }
    }
    facts.add(new Fact("policy normal load, settings", normal.count(), "count"));
    facts.add(new Fact("policy normal load, mean TTFT, geometric mean", normal.ttft(), "of kv"));
    facts.add(new Fact("policy normal load, mean TTFT, worst", normal.worstTtft(), "of kv"));
    facts.add(new Fact("policy normal load, p99, geometric mean", normal.p99(), "of kv"));
    facts.add(new Fact("policy normal load, p99, worst", normal.worstP99(), "of kv"));
    facts.add(new Fact("policy normal load, hit, mean gain", normal.hitPoints(), "points"));
  }

  private void disturbances(PolicyRuns runs, boolean quick) {
    List<PolicySetting> settings =
        quick ? PolicySettings.QUICK.subList(0, 1) : PolicySettings.DISTURBED;
    for (Disturbance disturbance : quick ? Disturbance.QUICK : Disturbance.ALL) {
      Comparison all = new Comparison();
      for (PolicySetting setting : settings) {
        PolicySetting disturbed = disturbance.of(setting);
        all.add(
            runs.run(disturbed, FleetPolicy.KV_PREDICTED, 1, false, disturbance.conditions()),
            runs.run(disturbed, FleetPolicy.KV, 1, false, disturbance.conditions()));
      }
      compare("policy disturbed, " + disturbance.name(), all.ours(), all.reference());
    }
  }

  private void compare(String what, PolicyFigures ours, PolicyFigures kv) {
    rows.add(Row.higherIsBetter(what + ", hit", ours.hitPercent(), kv.hitPercent(), "%"));
    rows.add(Row.lowerIsBetter(what + ", mean TTFT", ours.ttftMillis(), kv.ttftMillis(), "ms"));
    rows.add(Row.lowerIsBetter(what + ", p99", ours.p99Millis(), kv.p99Millis(), "ms"));
  }
}
