// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.micrometer;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.kvrouter.HealthFinding;
import io.dynamo4j.kvrouter.HealthKind;
import io.dynamo4j.kvrouter.KvRouter;
import io.dynamo4j.kvrouter.RouterHealth;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Set;
import java.util.TreeSet;

/** What a router finds wrong around it. */
final class HealthMeters {

  private HealthMeters() {}

  static void bind(MeterRegistry registry, KvRouter router, Tags routerTags, Tags endpointTags) {
    Meters<KvRouter> meters = Meters.of(registry, "dynamo4j.router.", router, routerTags);
    meters.gauge("health", r -> severity(r.health().status()));
    for (HealthKind kind : HealthKind.values()) {
      meters
          .and("kind", Meters.label(kind))
          .gauge("health.findings", r -> r.health().findings(kind).size());
    }
    Meters.of(registry, "dynamo.component.router.", router, endpointTags)
        .gauge("kv.event.source.mismatch.workers", r -> withoutASource(r.health()));
  }

  private static int severity(RouterHealth.Status status) {
    return switch (status) {
      case HEALTHY -> 0;
      case NOTICE -> 1;
      case DEGRADED -> 2;
    };
  }

  /** Counts the workers that publish nothing, not with every rank, or more than once. */
  private static double withoutASource(RouterHealth health) {
    long all = 0;
    Set<WorkerWithDpRank> named = new TreeSet<>();
    for (HealthFinding finding : health.findings()) {
      if (finding.kind() == HealthKind.NO_EVENTS) {
        all = finding.evidence("workers").orElse(0);
      } else if (concernsSource(finding.kind())) {
        finding.worker().map(rank -> WorkerWithDpRank.of(rank.workerId())).ifPresent(named::add);
      }
    }
    return Math.max(all, named.size());
  }

  private static boolean concernsSource(HealthKind kind) {
    return switch (kind) {
      case WORKER_SILENT, RANK_SILENT, PUBLISHER_CONFLICT, RECOVERY_FAILING -> true;
      default -> false;
    };
  }
}
