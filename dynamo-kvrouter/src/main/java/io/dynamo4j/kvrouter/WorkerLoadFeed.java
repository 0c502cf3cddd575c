// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.wire.ActiveLoad;
import io.dynamo4j.wire.ActiveLoadCodec;
import io.dynamo4j.wire.WireFormatException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leads what workers say of their own load, on Dynamo's topic {@code kv_metrics}, into a {@link
 * LoadMonitor}, so that its thresholds see what routers alone cannot: blocks that an engine really
 * uses.
 *
 * <p>Only registered ranks count; what is said of others, or cannot be read, is counted and
 * dropped. What a worker said ages in the monitor and is forgotten when the worker leaves or comes
 * back as another life.
 *
 * <p><b>Threads.</b> Works on the lane that it is given.
 */
public final class WorkerLoadFeed implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WorkerLoadFeed.class);

  private final LoadMonitor monitor;
  private final WorkerDirectory directory;
  private final EventSubscription loads;
  private final Subscription workers;
  private final AtomicLong applied = new AtomicLong();
  private final AtomicLong foreign = new AtomicLong();
  private final AtomicLong unreadable = new AtomicLong();
  private final Logger log;

  private WorkerLoadFeed(
      LoadMonitor monitor,
      WorkerDirectory directory,
      EventPlane plane,
      EventScope scope,
      Scheduler lane,
      Logger log) {
    this.log = log;
    this.monitor = monitor;
    this.directory = directory;
    this.workers =
        directory.watch(
            lane,
            new WorkerDirectory.Listener() {
              @Override
              public void added(WorkerInstance instance) {
                monitor.forget(instance.workerId());
              }

              @Override
              public void removed(WorkerInstance instance) {
                monitor.forget(instance.workerId());
              }
            });
    this.loads = plane.subscribe(scope, ActiveLoadCodec.TOPIC, lane, this::heard);
  }

  /**
   * Begins to listen.
   *
   * @param directory who may speak
   * @param scope the workers' endpoint
   */
  public static WorkerLoadFeed connect(
      LoadMonitor monitor,
      WorkerDirectory directory,
      EventPlane plane,
      EventScope scope,
      Scheduler lane) {
    return connect(monitor, directory, plane, scope, lane, LOG);
  }

  static WorkerLoadFeed connect(
      LoadMonitor monitor,
      WorkerDirectory directory,
      EventPlane plane,
      EventScope scope,
      Scheduler lane,
      Logger log) {
    return new WorkerLoadFeed(
        Objects.requireNonNull(monitor, "monitor"),
        Objects.requireNonNull(directory, "directory"),
        plane,
        scope,
        lane,
        log);
  }

  private void heard(EventEnvelope envelope) {
    ActiveLoad load;
    try {
      load = ActiveLoadCodec.decode(envelope.payload());
    } catch (WireFormatException e) {
      if (unreadable.getAndIncrement() == 0) {
        log.warn(
            "load of a worker cannot be read, further ones are only counted: publisher={}",
            Long.toUnsignedString(envelope.publisherId()),
            e);
      }
      return;
    }
    if (!isRegistered(load)) {
      foreign.incrementAndGet();
      return;
    }
    applied.incrementAndGet();
    monitor.report(
        load.worker(),
        new RankLoadReport(
            load.activePrefillTokens(), load.activeDecodeBlocks(), load.kvUsedBlocks()));
  }

  private boolean isRegistered(ActiveLoad load) {
    for (WorkerInstance instance : directory.instances()) {
      int offset = load.worker().dpRank() - instance.dpStart();
      if (instance.workerId() == load.worker().workerId()) {
        return offset >= 0 && offset < instance.dpSize();
      }
    }
    return false;
  }

  /** Returns how many loads the monitor was told. */
  public long appliedCount() {
    return applied.get();
  }

  /** Returns how many loads were of ranks that are not registered. */
  public long foreignCount() {
    return foreign.get();
  }

  /** Returns how many messages could not be read. */
  public long unreadableCount() {
    return unreadable.get();
  }

  /** Stops listening; what was told stays until it ages. Idempotent. */
  @Override
  public void close() {
    loads.close();
    workers.close();
  }
}
