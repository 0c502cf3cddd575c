// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.index;

import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.testkit.search.FaultSpec;
import io.dynamo4j.testkit.search.ScenarioSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Draws index scenarios; three mixes, since none finds everything. */
public final class IndexDraw {
  static final String ROUTERS = "routers";
  static final String RANKS = "ranks";
  static final String BLOCKS = "blocks";
  static final String RING = "ring";
  static final String GAP_MILLIS = "gap-ms";
  static final String SAME_PUBLISHER = "same-publisher";
  static final String PENDING = "pending-updates";
  static final String ANNOUNCING = "announcing";

  /** How often digests are compared, in milliseconds; 0: never. */
  static final String PROOF_MILLIS = "proof-ms";

  private static final int MAX_REQUESTS = 80;

  private final RandomSource random;
  private final boolean isSwarm;
  private final List<FaultSpec> faults = new ArrayList<>();
  private final int workers;
  private final int requests;
  private final int routers;
  private final double gapMillis;

  private IndexDraw(long seed, String mix) {
    this.random = RandomSource.seeded(seed).split("index-" + mix);
    this.isSwarm = mix.equals("swarm");
    this.workers = 1 + random.nextInt(4);
    this.requests = 10 + random.nextInt(MAX_REQUESTS - 10);
    this.routers = 1 + random.nextInt(3);
    this.gapMillis = logUniform(2, 60);
  }

  /** Draws a scenario in which each kind of fault is off half of the time. */
  public static ScenarioSpec swarm(long seed) {
    return new IndexDraw(seed, "swarm").draw(seed);
  }

  /** Draws a scenario in which every kind of fault occurs. */
  public static ScenarioSpec allOn(long seed) {
    return new IndexDraw(seed, "all-on").draw(seed);
  }

  /** Draws a scenario of heavy loss, small caches and slow answers, and little else. */
  public static ScenarioSpec directed(long seed) {
    IndexDraw draw = new IndexDraw(seed, "directed");
    for (int router = 0; router < draw.routers; router++) {
      draw.faults.add(IndexFaults.rate(IndexFaults.LOSE, router, 0.4));
      draw.faults.add(IndexFaults.rate(IndexFaults.LAG, router, 15));
    }
    return draw.settings(seed).withSetting(BLOCKS, 60).withFaults(draw.faults);
  }

  private ScenarioSpec draw(long seed) {
    for (int router = 0; router < routers; router++) {
      drawRates(router);
    }
    long length = (long) (requests * gapMillis) + 1;
    each(() -> event(IndexFaults.KILL, length, downMillis()));
    each(() -> event(IndexFaults.REPLACE, length, logUniform(1, 2_000)));
    each(() -> event(IndexFaults.CLEAR, length, 0));
    each(() -> event(IndexFaults.SUSPEND, length, logUniform(1, 3_000)));
    each(() -> event(IndexFaults.SHRINK, length, logUniform(1, 3_000)));
    each(
        () ->
            IndexFaults.part(
                random.nextInt(routers),
                random.nextInt(workers),
                (long) (random.nextDouble() * length),
                (long) logUniform(10, 3_000)));
    for (int router = 1; router < routers; router++) {
      if (random.nextInt(2) == 0) {
        faults.add(IndexFaults.late(router, (long) (random.nextDouble() * length)));
      }
    }
    return settings(seed).withFaults(faults);
  }

  private void drawRates(int router) {
    rate(IndexFaults.LOSE, router, 0.3);
    rate(IndexFaults.REPEAT, router, 0.2);
    rate(IndexFaults.DELAY, router, 0.2);
    rate(IndexFaults.OVERTAKE, router, 0.25);
    rate(IndexFaults.LOSE_LAST, router, 0.5);
    rate(IndexFaults.REFUSE, router, 0.4);
    rate(IndexFaults.BREAK, router, 0.3);
    rate(IndexFaults.EMPTY, router, 0.3);
    rate(IndexFaults.LAG, router, 80);
  }

  private void rate(String kind, int router, double most) {
    if (!isSwarm) {
      faults.add(IndexFaults.rate(kind, router, most / 2));
    } else if (random.nextInt(2) == 0) {
      faults.add(IndexFaults.rate(kind, router, logUniform(most / 100, most)));
    }
  }

  private void each(Supplier<FaultSpec> fault) {
    int count = isSwarm && random.nextInt(2) == 0 ? 0 : 1 + random.nextInt(isSwarm ? 4 : 2);
    for (int i = 0; i < count; i++) {
      faults.add(fault.get());
    }
  }

  private FaultSpec event(String kind, long length, double forMillis) {
    return IndexFaults.event(
        kind, random.nextInt(workers), (long) (random.nextDouble() * length), forMillis);
  }

  private double downMillis() {
    return random.nextInt(5) == 0 ? -1 : logUniform(1, 2_000);
  }

  private ScenarioSpec settings(long seed) {
    boolean isSamePublisher = random.nextInt(3) == 0;
    ScenarioSpec spec =
        ScenarioSpec.of(seed, workers, requests)
            .withSetting(ROUTERS, routers)
            .withSetting(RANKS, 1 + random.nextInt(2))
            .withSetting(BLOCKS, logUniform(20, 140))
            .withSetting(RING, logUniform(1, 200))
            .withSetting(GAP_MILLIS, gapMillis)
            .withSetting(SAME_PUBLISHER, isSamePublisher ? 1 : 0)
            .withSetting(PENDING, random.nextInt(4) == 0 ? logUniform(2, 20) : 1 << 16);
    // An event of a past life that is the first of its publisher to arrive, and only in the next
    // life, has all the marks of that life: digests alone tell.
    boolean isAnnouncing = isSamePublisher || random.nextInt(4) != 0;
    boolean isProved = isSamePublisher || random.nextInt(4) == 0;
    return spec.withSetting(ANNOUNCING, isAnnouncing ? 1 : 0)
        .withSetting(PROOF_MILLIS, isProved ? logUniform(100, 5_000) : 0);
  }

  private double logUniform(double least, double most) {
    double value = least * Math.pow(most / least, random.nextDouble());
    return most > 10 ? Math.rint(value) : value;
  }
}
