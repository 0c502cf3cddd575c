// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.testkit.search.FaultSpec;
import io.dynamo4j.testkit.search.ScenarioSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Draws scenarios: sizes, settings and the whole list of faults up front.
 *
 * <p>Three mixes, since none finds everything: in a swarm each kind of fault is off in half of the
 * scenarios and else of log-uniform strength; all-on has every kind at moderate strength, so that
 * faults meet each other; directed ones have few kinds and much of each, for states that need
 * several hits of the same.
 */
public final class ScenarioDraw {
  private static final int MAX_REQUESTS = 60;

  /** What the directed scenarios are about, one by one. */
  private static final List<Set<String>> DIRECTED =
      List.of(
          set(FaultKinds.HANG, FaultKinds.MUTE, FaultKinds.LAG, FaultKinds.LEAVE),
          set(FaultKinds.DRAIN, FaultKinds.CRASH, FaultKinds.WINDOW),
          set(FaultKinds.DRAIN, FaultKinds.HANG, FaultKinds.REFUSE),
          set(FaultKinds.REFUSE, FaultKinds.BREAK, FaultKinds.TRUNCATE),
          set(FaultKinds.BREAK, FaultKinds.WINDOW, FaultKinds.CANCEL, FaultKinds.THROW),
          set(FaultKinds.CRASH, FaultKinds.STALL, FaultKinds.LEAVE));

  /** How much of each kind there is. */
  private enum Mix {
    SWARM,
    ALL_ON,
    DIRECTED
  }

  private final RandomSource random;
  private final Mix mix;
  private final Set<String> directed;
  private final List<FaultSpec> faults = new ArrayList<>();
  private final int requests;
  private final int outputTokens;

  private ScenarioDraw(long seed, Mix mix) {
    this.random = RandomSource.seeded(seed).split(mix.name());
    this.mix = mix;
    this.directed = DIRECTED.get(random.nextInt(DIRECTED.size()));
    this.requests = 10 + random.nextInt(MAX_REQUESTS - 10);
    this.outputTokens = 1 + random.nextInt(24);
  }

  private static Set<String> set(String... kinds) {
    return Collections.unmodifiableSet(new LinkedHashSet<>(List.of(kinds)));
  }

  /** Draws a scenario in which each kind of fault is off half of the time. */
  public static ScenarioSpec swarm(long seed) {
    return new ScenarioDraw(seed, Mix.SWARM).draw(seed);
  }

  /** Draws a scenario in which every kind of fault occurs. */
  public static ScenarioSpec allOn(long seed) {
    return new ScenarioDraw(seed, Mix.ALL_ON).draw(seed);
  }

  /** Draws a scenario with much of a few kinds. */
  public static ScenarioSpec directed(long seed) {
    return new ScenarioDraw(seed, Mix.DIRECTED).draw(seed);
  }

  private ScenarioSpec draw(long seed) {
    int workers = 1 + random.nextInt(5);
    ScenarioSpec spec = ScenarioSpec.of(seed, workers, requests);
    spec = spec.withSetting(ScenarioSettings.POLICY, policy());
    spec = spec.withSetting(ScenarioSettings.LIMIT, random.nextInt(5));
    spec = spec.withSetting(ScenarioSettings.BLOCKS, logUniform(16, 256));
    spec = spec.withSetting(ScenarioSettings.OUTPUT_TOKENS, outputTokens);
    spec = spec.withSetting(ScenarioSettings.ARRIVAL_GAP_MILLIS, logUniform(2, 200));
    boolean timed = mix != Mix.SWARM || random.nextInt(2) == 0;
    if (timed) {
      spec = spec.withSetting(ScenarioSettings.STALL_TIMEOUT_MILLIS, logUniform(20_000, 60_000));
    }
    if (random.nextInt(2) == 0) {
      spec = spec.withSetting(ScenarioSettings.MIXED_REQUESTS, 1);
    }
    if (random.nextInt(4) == 0) {
      spec = spec.withSetting(ScenarioSettings.MAX_SEQ_LEN, logUniform(12, 60));
    }
    spec = withPatience(spec);
    drawFaults(timed);
    return spec.withFaults(faults);
  }

  /** Seconds, races and pauses, each in a part of the scenarios. */
  private ScenarioSpec withPatience(ScenarioSpec spec) {
    RandomSource chance = random.split("patience");
    ScenarioSpec patient = spec;
    if (chance.nextInt(3) == 0) {
      patient =
          patient.withSetting(ScenarioSettings.HEDGE_AFTER_MILLIS, logUniform(chance, 2, 500));
    }
    if (chance.nextInt(3) == 0) {
      patient =
          patient.withSetting(
              ScenarioSettings.REPLACEMENT_WAIT_MILLIS, logUniform(chance, 20, 20_000));
    }
    if (chance.nextInt(4) == 0) {
      // Never at the very instant of something else that is bound to whole milliseconds.
      patient =
          patient.withSetting(
              ScenarioSettings.DEADLINE_MILLIS, logUniform(chance, 50, 60_000) + 0.137);
    }
    if (chance.nextInt(3) == 0) {
      patient = patient.withSetting(ScenarioSettings.BACK_OFF_MILLIS, logUniform(chance, 1, 2_000));
    }
    return patient;
  }

  /** KV routing in half of the scenarios: it has the most state to get wrong. */
  private int policy() {
    return random.nextInt(2) == 0 ? 0 : random.nextInt(ScenarioSettings.POLICIES);
  }

  /** Without a timeout a silent stream never ends: that is what its client asked for. */
  private void drawFaults(boolean timed) {
    each(FaultKinds.CRASH, () -> FaultKinds.crash(request(), token(), downMillis()));
    each(FaultKinds.REFUSE, () -> FaultKinds.refuse(request(), attempt(), error()));
    each(FaultKinds.BREAK, () -> FaultKinds.breakStream(request(), attempt(), token(), error()));
    each(FaultKinds.TRUNCATE, () -> FaultKinds.truncate(request(), attempt(), token()));
    each(FaultKinds.STALL, () -> FaultKinds.stall(request(), token(), logUniform(1, 2_000)));
    each(FaultKinds.CANCEL, () -> FaultKinds.cancel(request(), token()));
    each(FaultKinds.LEAVE, () -> FaultKinds.leave(request(), logUniform(0.001, 30_000)));
    each(FaultKinds.THROW, () -> FaultKinds.throwing(request(), token()));
    each(FaultKinds.WINDOW, () -> FaultKinds.window(request(), 1 + random.nextInt(8)));
    each(FaultKinds.LAG, () -> FaultKinds.lag(request(), attempt(), logUniform(0.01, 50)));
    each(FaultKinds.DRAIN, () -> FaultKinds.drain(request(), token(), logUniform(1, 5_000)));
    if (timed) {
      each(FaultKinds.MUTE, () -> FaultKinds.mute(request(), attempt()));
      each(FaultKinds.HANG, () -> FaultKinds.hang(request(), attempt(), token()));
    }
  }

  private void each(String kind, Supplier<FaultSpec> fault) {
    int count = (int) Math.round(share(kind) * requests);
    for (int i = 0; i < count; i++) {
      faults.add(fault.get());
    }
  }

  /** Returns how many faults of a kind there are for each request. */
  private double share(String kind) {
    return switch (mix) {
      case SWARM -> random.nextInt(2) == 0 ? 0 : logUniform(0.01, 1);
      case ALL_ON -> 0.12;
      case DIRECTED -> directed.contains(kind) ? logUniform(0.2, 1) : 0;
    };
  }

  /** The first error of its kind mostly: final ones end what others would show. */
  private int error() {
    return Math.max(0, random.nextInt(FaultErrors.count() + 3) - 3);
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
    return logUniform(random, least, most);
  }

  private static double logUniform(RandomSource random, double least, double most) {
    double value = least * Math.pow(most / least, random.nextDouble());
    return most > 10 ? Math.rint(value) : value;
  }
}
