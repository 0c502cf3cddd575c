// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.simulation.fleet.FleetPolicy;
import io.dynamo4j.testkit.search.FaultSpec;
import io.dynamo4j.testkit.search.ScenarioSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Draws scenarios: sizes, settings and the whole list of faults up front.
 *
 * <p>Two mixes, since neither finds everything: in a swarm each kind of fault is off in half of the
 * scenarios and else of log-uniform strength; all-on has every kind at moderate strength, so that
 * faults meet each other.
 */
public final class ScenarioDraw {
  private static final int MAX_REQUESTS = 60;

  private final RandomSource random;
  private final boolean allOn;
  private final List<FaultSpec> faults = new ArrayList<>();
  private final int requests;
  private final int outputTokens;

  private ScenarioDraw(long seed, boolean allOn) {
    this.random = RandomSource.seeded(seed).split(allOn ? "all-on" : "swarm");
    this.allOn = allOn;
    this.requests = 10 + random.nextInt(MAX_REQUESTS - 10);
    this.outputTokens = 1 + random.nextInt(24);
  }

  /** Draws a scenario in which each kind of fault is off half of the time. */
  public static ScenarioSpec swarm(long seed) {
    return new ScenarioDraw(seed, false).draw(seed);
  }

  /** Draws a scenario in which every kind of fault occurs. */
  public static ScenarioSpec allOn(long seed) {
    return new ScenarioDraw(seed, true).draw(seed);
  }

  private ScenarioSpec draw(long seed) {
    int workers = 1 + random.nextInt(5);
    ScenarioSpec spec = ScenarioSpec.of(seed, workers, requests);
    spec = spec.withSetting(ScenarioSettings.POLICY, policy());
    spec = spec.withSetting(ScenarioSettings.LIMIT, random.nextInt(5));
    spec = spec.withSetting(ScenarioSettings.BLOCKS, logUniform(16, 256));
    spec = spec.withSetting(ScenarioSettings.OUTPUT_TOKENS, outputTokens);
    spec = spec.withSetting(ScenarioSettings.ARRIVAL_GAP_MILLIS, logUniform(2, 200));
    if (random.nextInt(2) == 0) {
      spec = spec.withSetting(ScenarioSettings.STALL_TIMEOUT_MILLIS, logUniform(20_000, 60_000));
    }
    drawFaults();
    return spec.withFaults(faults);
  }

  /** KV routing in half of the scenarios: it has the most state to get wrong. */
  private int policy() {
    return random.nextInt(2) == 0 ? 0 : random.nextInt(FleetPolicy.values().length);
  }

  private void drawFaults() {
    each(() -> FaultKinds.crash(request(), token(), downMillis()));
    each(() -> FaultKinds.refuse(request(), attempt()));
    each(() -> FaultKinds.breakStream(request(), attempt(), token()));
    each(() -> FaultKinds.truncate(request(), attempt(), token()));
    each(() -> FaultKinds.stall(request(), token(), logUniform(1, 2_000)));
    each(() -> FaultKinds.cancel(request(), token()));
    each(() -> FaultKinds.window(request(), 1 + random.nextInt(8)));
  }

  private void each(Supplier<FaultSpec> fault) {
    double share = allOn ? 0.15 : strength();
    int count = (int) Math.round(share * requests);
    for (int i = 0; i < count; i++) {
      faults.add(fault.get());
    }
  }

  private double strength() {
    return random.nextInt(2) == 0 ? 0 : logUniform(0.01, 1);
  }

  private int request() {
    return random.nextInt(requests);
  }

  /** First attempts mostly, or the later ones would hardly be reached. */
  private int attempt() {
    return Math.max(0, random.nextInt(5) - 2);
  }

  /** The first token, the last, and any between, since the ends are where mistakes are made. */
  private int token() {
    return switch (random.nextInt(4)) {
      case 0 -> 0;
      case 1 -> 1;
      case 2 -> Math.max(0, outputTokens - 1 - random.nextInt(2));
      default -> random.nextInt(outputTokens);
    };
  }

  private double downMillis() {
    return random.nextInt(6) == 0 ? -1 : logUniform(10, 5_000);
  }

  private double logUniform(double least, double most) {
    double value = least * Math.pow(most / least, random.nextDouble());
    return most > 10 ? Math.rint(value) : value;
  }
}
