// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.micrometer;

import io.dynamo4j.kvrouter.KvRouter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

/** What a router knows of others, and what happened between them. */
final class ReplicaMeters {
  private static final double NANOS_PER_SECOND = 1e9;

  private ReplicaMeters() {}

  static void bind(MeterRegistry registry, KvRouter router, Tags routerTags) {
    router.replicaSync(); // refuses a router that shares nothing
    Meters.of(registry, "dynamo4j.replica.", router, routerTags)
        .gauge("connected", r -> r.replicaSync().connected() ? 1 : 0)
        .gauge("routers", r -> r.replicaSync().routers())
        .gauge("bookings", r -> r.replicaSync().bookings())
        .gauge("behind", r -> r.replicaSync().behind())
        .gauge("silent.seconds", r -> r.replicaSync().silentNanos() / NANOS_PER_SECOND)
        .count("published", r -> r.replicaSync().published())
        .count("unpublished", r -> r.replicaSync().unpublished())
        .count("applied", r -> r.replicaSync().applied())
        .count("unmatched", r -> r.replicaSync().unmatched())
        .count("duplicates", r -> r.replicaSync().duplicates())
        .count("foreign", r -> r.replicaSync().foreign())
        .count("undecodable", r -> r.replicaSync().undecodable())
        .count("worker.marks", r -> r.replicaSync().workerMarks())
        .count("snapshot.requests", r -> r.replicaSync().snapshotRequests())
        .count("snapshot.answers", r -> r.replicaSync().snapshotAnswers())
        .count("snapshots", r -> r.replicaSync().snapshots())
        .count("expired.routers", r -> r.replicaSync().expiredRouters())
        .count("expired.bookings", r -> r.replicaSync().expiredBookings());
  }
}
