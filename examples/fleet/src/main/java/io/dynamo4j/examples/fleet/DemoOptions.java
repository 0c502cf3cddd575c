// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.fleet;

import io.dynamo4j.simulation.fleet.FleetConfig;
import io.dynamo4j.simulation.fleet.FleetPolicy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What {@code bin/demo} can be told; every default shows in {@code --help}. */
final class DemoOptions {
  private static final int EMBEDDED_REQUESTS = 3_000;
  private static final int QUICK_REQUESTS = 600;
  private static final int MAX_REQUESTS = 1_000_000;
  private static final long MAX_FLEET_BLOCKS = 1 << 23;
  private static final double MIN_TIME_SCALE = 0.1;
  private static final double MAX_TIME_SCALE = 1_000;
  private static final int QUICK_KILL_EVERY = 100;
  private static final int DEFAULT_KILL_EVERY = 200;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description = "Mooncake JSONL trace; without it a built-in seeded conversation trace")
  @Nullable Path trace;

  @Option(
      names = "--workers",
      paramLabel = "N",
      defaultValue = "8",
      description = "workers of the fleet (default ${DEFAULT-VALUE})")
  int workers;

  @Option(
      names = "--policy",
      paramLabel = "P[,P…]",
      split = ",",
      defaultValue = "kv,round-robin,random,least-loaded",
      description =
          "policies to run, in this order (default ${DEFAULT-VALUE}); also kv-predicted and kv-approximate")
  List<String> policies = new ArrayList<>();

  @Option(
      names = "--block-size",
      paramLabel = "TOKENS",
      defaultValue = "512",
      description = "tokens per KV block (default ${DEFAULT-VALUE})")
  int blockSize;

  @Option(
      names = "--blocks",
      paramLabel = "N",
      defaultValue = "2048",
      description = "KV blocks per worker (default ${DEFAULT-VALUE})")
  int blocks;

  @Option(
      names = "--arrival-speedup",
      paramLabel = "X",
      defaultValue = "1",
      description = "divide the trace's times by X (default ${DEFAULT-VALUE})")
  double arrivalSpeedup;

  @Option(
      names = "--kill-every",
      paramLabel = "N",
      description =
          "kill a worker that has an open stream after every N arrivals, 0 for never (default 200; 100 with --quick)")
  @Nullable Integer killEvery;

  @Option(
      names = "--migration-limit",
      paramLabel = "N",
      defaultValue = "3",
      description =
          "continuations per request, 0 shows the failures (default ${DEFAULT-VALUE}; the library's own default is 0)")
  long migrationLimit;

  @Option(
      names = "--migration-max-seq-len",
      paramLabel = "TOKENS",
      description = "longest sequence that is still continued (default unlimited)")
  @Nullable Long migrationMaxSeqLen;

  @Option(
      names = "--requests",
      paramLabel = "N",
      description =
          "requests to serve: the first N of a trace file (default all), or how many the built-in trace has (default 3000; 600 with --quick)")
  @Nullable Integer requests;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "seed of everything drawn (default ${DEFAULT-VALUE})")
  long seed;

  @Option(
      names = "--plane",
      paramLabel = "P",
      defaultValue = "memory",
      description =
          "memory: in virtual time; nats: in real time over a nats-server, started for it; zmq: in real time, events over ZeroMQ and requests over TCP (default ${DEFAULT-VALUE})")
  String plane = "memory";

  @Option(
      names = "--time-scale",
      paramLabel = "X",
      defaultValue = "50",
      description =
          "in real time, divide arrivals, step times and everything else by X (default ${DEFAULT-VALUE})")
  double timeScale;

  @Option(names = "--json", description = "print one JSON object and nothing else")
  boolean json;

  @Option(names = "--quick", description = "a small run, for a first look and for CI")
  boolean quick;

  @Option(
      names = "--report",
      paramLabel = "FILE.html",
      description = "also write one self-contained HTML page with charts")
  @Nullable Path report;

  /**
   * Returns what gateway and workers speak by.
   *
   * @throws IllegalArgumentException if there is no such plane, or its time cannot be
   */
  DemoPlane demoPlane() {
    if (!(timeScale >= MIN_TIME_SCALE && timeScale <= MAX_TIME_SCALE)) {
      throw new IllegalArgumentException(
          "time scale must be within 0.1 and 1000: timeScale=" + timeScale);
    }
    return DemoPlane.byName(plane);
  }

  /**
   * Returns the policies asked for, each once.
   *
   * @throws IllegalArgumentException if a name is unknown or none is given
   */
  Set<FleetPolicy> fleetPolicies() {
    Set<FleetPolicy> chosen = new LinkedHashSet<>();
    for (String name : policies) {
      chosen.add(
          FleetPolicy.byName(name.trim())
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "unknown policy: policy="
                              + name
                              + ", known=kv,kv-predicted,kv-approximate,round-robin,random,least-loaded")));
    }
    if (chosen.isEmpty()) {
      throw new IllegalArgumentException(
          "no policy given: known=kv,kv-predicted,kv-approximate,round-robin,random,least-loaded");
    }
    return chosen;
  }

  /**
   * Returns the fleet that the options describe.
   *
   * @throws IllegalArgumentException if a value is impossible
   */
  FleetConfig fleet() {
    if ((long) workers * blocks > MAX_FLEET_BLOCKS) {
      throw new IllegalArgumentException(
          "workers times blocks must be at most "
              + MAX_FLEET_BLOCKS
              + ": workers="
              + workers
              + ", blocks="
              + blocks);
    }
    FleetConfig.Builder builder =
        FleetConfig.builder()
            .workers(workers)
            .blockSize(blockSize)
            .blocks(blocks)
            .arrivalSpeedup(arrivalSpeedup)
            .killEvery(killEveryOrDefault())
            .migrationLimit(migrationLimit)
            .seed(seed);
    if (migrationMaxSeqLen != null) {
      builder.migrationMaxSeqLen(migrationMaxSeqLen);
    }
    return builder.build();
  }

  private int killEveryOrDefault() {
    if (killEvery != null) {
      return killEvery;
    }
    return quick ? QUICK_KILL_EVERY : DEFAULT_KILL_EVERY;
  }

  /** Returns how many requests to serve at most; the built-in trace has exactly that many. */
  int requestLimit() {
    if (requests != null) {
      if (requests < 1 || requests > MAX_REQUESTS) {
        throw new IllegalArgumentException(
            "requests must be within 1 and " + MAX_REQUESTS + ": requests=" + requests);
      }
      return requests;
    }
    if (quick) {
      return QUICK_REQUESTS;
    }
    return trace == null ? EMBEDDED_REQUESTS : Integer.MAX_VALUE;
  }
}
