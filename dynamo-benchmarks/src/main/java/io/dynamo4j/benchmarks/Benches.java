// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks;

import io.dynamo4j.benchmarks.fleet.FleetBench;
import io.dynamo4j.benchmarks.hash.HashBench;
import io.dynamo4j.benchmarks.index.IndexBench;
import io.dynamo4j.benchmarks.index.IndexerBench;
import io.dynamo4j.benchmarks.migration.MigrationBench;
import io.dynamo4j.benchmarks.nats.NatsBench;
import io.dynamo4j.benchmarks.policy.PolicyBench;
import io.dynamo4j.benchmarks.router.RouterBench;
import io.dynamo4j.benchmarks.soak.FleetSoak;
import io.dynamo4j.benchmarks.soak.HealthSoak;
import io.dynamo4j.benchmarks.soak.IndexerSoak;
import io.dynamo4j.benchmarks.soak.MigrationSoak;
import io.dynamo4j.benchmarks.soak.TestSoak;
import io.dynamo4j.benchmarks.tcp.TcpBench;
import io.dynamo4j.benchmarks.tcp.TcpSoak;
import io.dynamo4j.benchmarks.token.AccumulatorBench;
import io.dynamo4j.benchmarks.zmq.ZmqBench;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Every benchmark and every soak there is. */
final class Benches {

  private Benches() {}

  /** Returns what runs when nothing is named. */
  static List<Bench> benchmarks() {
    return List.of(
        new HashBench(),
        new AccumulatorBench(),
        new IndexBench(),
        new IndexerBench(),
        new RouterBench(),
        new MigrationBench(),
        new ZmqBench(),
        new TcpBench(),
        NatsBench.all(),
        new FleetBench(),
        PolicyBench.all());
  }

  /** Returns what can be named. */
  static List<Bench> all() {
    List<Bench> all = new ArrayList<>(benchmarks());
    for (PolicyBench.Part part : PolicyBench.Part.values()) {
      all.add(PolicyBench.of(part));
    }
    all.add(NatsBench.starts());
    all.add(TestSoak.core());
    all.add(TestSoak.nats());
    all.add(TestSoak.durable());
    all.add(new FleetSoak());
    all.add(new MigrationSoak());
    all.add(new IndexerSoak());
    all.add(new HealthSoak());
    all.add(new TcpSoak());
    return Collections.unmodifiableList(all);
  }
}
