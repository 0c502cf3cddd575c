// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks;

import io.dynamo4j.benchmarks.fleet.FleetBench;
import io.dynamo4j.benchmarks.hash.HashBench;
import io.dynamo4j.benchmarks.index.IndexBench;
import io.dynamo4j.benchmarks.token.AccumulatorBench;
import java.util.List;

/** Every benchmark there is. */
final class Benches {

  private Benches() {}

  static List<Bench> all() {
    return List.of(new HashBench(), new AccumulatorBench(), new IndexBench(), new FleetBench());
  }
}
