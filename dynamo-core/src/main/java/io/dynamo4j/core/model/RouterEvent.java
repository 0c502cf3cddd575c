// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

import java.util.Objects;

/** A {@link KvCacheEvent} attributed to a worker and a storage tier: what travels to routers. */
public final class RouterEvent {
  private final WorkerWithDpRank worker;
  private final StorageTier tier;
  private final KvCacheEvent event;

  private RouterEvent(long workerId, StorageTier tier, KvCacheEvent event) {
    this.tier = Objects.requireNonNull(tier, "tier");
    this.event = Objects.requireNonNull(event, "event");
    this.worker = new WorkerWithDpRank(workerId, event.dpRank());
  }

  public static RouterEvent of(long workerId, StorageTier tier, KvCacheEvent event) {
    return new RouterEvent(workerId, tier, event);
  }

  /** Returns the worker's instance id, an unsigned 64-bit pattern. */
  public long workerId() {
    return worker.workerId();
  }

  public StorageTier tier() {
    return tier;
  }

  public KvCacheEvent event() {
    return event;
  }

  /** Returns the owner of the blocks: this worker's rank named by the event. */
  public WorkerWithDpRank worker() {
    return worker;
  }
}
