// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.micrometer;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.kvrouter.KvRouter;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * What a router has booked on each rank, and the last times of its requests there, as Dynamo's
 * gauges; they go with their worker. {@link RouterMetrics#observeWorkers} makes one.
 *
 * <p>{@value #MAX_WORKERS} workers get series, later ones none.
 *
 * <p><b>Threads.</b> Works on the lane that it is given.
 */
public final class WorkerMetrics implements AutoCloseable {
  /** How many workers get series. */
  public static final int MAX_WORKERS = 4_096;

  private final MeterRegistry registry;
  private final KvRouter router;
  private final Tags workerTags;
  private final LastTimes lastTimes;
  private final Map<WorkerWithDpRank, List<Meter>> meters = new TreeMap<>(); // lane
  private final Subscription workers;

  WorkerMetrics(
      MeterRegistry registry,
      KvRouter router,
      WorkerDirectory directory,
      Scheduler lane,
      Tags workerTags,
      LastTimes lastTimes) {
    this.registry = registry;
    this.router = router;
    this.workerTags = workerTags;
    this.lastTimes = lastTimes;
    this.workers =
        directory.watch(
            lane,
            new WorkerDirectory.Listener() {
              @Override
              public void added(WorkerInstance instance) {
                add(instance);
              }

              @Override
              public void removed(WorkerInstance instance) {
                remove(instance.workerId());
              }
            });
  }

  private void add(WorkerInstance instance) {
    remove(instance.workerId());
    if (meters.size() >= MAX_WORKERS) {
      return;
    }
    List<Meter> added = new ArrayList<>();
    for (int i = 0; i < instance.dpSize(); i++) {
      WorkerWithDpRank rank = instance.rank(i);
      added.add(
          gauge("dynamo.component.router.worker.registered", "router_worker_id", rank, r -> 1));
      added.add(
          gauge(
              "dynamo.frontend.worker.active.decode.blocks",
              "worker_id",
              rank,
              r -> r.load(rank).blocks()));
      added.add(
          gauge(
              "dynamo.frontend.worker.active.prefill.tokens",
              "worker_id",
              rank,
              r -> r.load(rank).prefillTokens()));
      addLastTimes(rank, added);
    }
    meters.put(WorkerWithDpRank.of(instance.workerId()), added);
  }

  private void addLastTimes(WorkerWithDpRank rank, List<Meter> added) {
    LastTimes.OfRank times = lastTimes.open(rank);
    String last = "dynamo.frontend.worker.last.";
    added.add(
        gauge(last + "time.to.first.token.seconds", "worker_id", rank, r -> times.firstToken()));
    added.add(gauge(last + "input.sequence.tokens", "worker_id", rank, r -> times.promptTokens()));
    added.add(
        gauge(last + "inter.token.latency.seconds", "worker_id", rank, r -> times.interToken()));
  }

  private Gauge gauge(
      String name, String idLabel, WorkerWithDpRank rank, ToDoubleFunction<KvRouter> value) {
    return Gauge.builder(name, router, value)
        .tags(
            workerTags.and(
                idLabel,
                Long.toUnsignedString(rank.workerId()),
                "dp_rank",
                Integer.toString(rank.dpRank())))
        .register(registry);
  }

  private void remove(long workerId) {
    List<Meter> gone = meters.remove(WorkerWithDpRank.of(workerId));
    if (gone != null) {
      gone.forEach(registry::remove);
      lastTimes.close(workerId);
    }
  }

  /** Stops following the directory; what is shown stays. */
  @Override
  public void close() {
    workers.close();
  }
}
