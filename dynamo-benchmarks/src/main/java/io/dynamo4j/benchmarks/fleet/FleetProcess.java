// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.fleet;

import io.dynamo4j.simulation.fleet.FleetConfig;
import io.dynamo4j.simulation.fleet.FleetPolicy;
import io.dynamo4j.simulation.fleet.FleetResult;
import io.dynamo4j.simulation.fleet.FleetRun;
import io.dynamo4j.simulation.trace.TraceReader;
import java.nio.file.Path;
import java.util.Locale;

/** Serves one trace with one policy in a process of its own, as the reference is one. */
public final class FleetProcess {

  private FleetProcess() {}

  /** Takes trace, workers and policy; prints the hit rate with four decimals. */
  public static void main(String[] args) {
    FleetConfig config =
        FleetConfig.builder()
            .policy(FleetPolicy.byName(args[2]).orElseThrow())
            .workers(Integer.parseInt(args[1]))
            .killEvery(0)
            .build();
    FleetResult result = FleetRun.run(config, TraceReader.read(Path.of(args[0])), arrived -> {});
    if (!result.tokens().isExact() || result.failedStreams() > 0) {
      throw new IllegalStateException("streams are not exact: tokens=" + result.tokens());
    }
    System.out.println(String.format(Locale.ROOT, "%.4f", result.hitRate()));
  }
}
