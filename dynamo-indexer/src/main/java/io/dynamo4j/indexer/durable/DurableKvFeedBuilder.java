// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.indexer.DurableSources;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.plane.DurableEventLog;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.SnapshotStore;
import io.dynamo4j.plane.WorkerDirectory;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds a {@link DurableKvFeed}; all but directory, id and configuration are required. */
public final class DurableKvFeedBuilder {
  private @Nullable DurableEventLog log;
  private @Nullable SnapshotStore snapshots;
  private @Nullable KvIndexer index;
  private @Nullable Environment environment;
  private @Nullable WorkerDirectory directory;
  private @Nullable String scope;
  private LiveSources.@Nullable Settings liveEvents;
  private long routerId;
  private DurableConfig config = DurableConfig.ofDefaults();

  DurableKvFeedBuilder() {}

  /** Sets what is read; the caller closes it after the feed. */
  public DurableKvFeedBuilder log(DurableEventLog log) {
    this.log = Objects.requireNonNull(log, "log");
    return this;
  }

  /** Sets where snapshots are; the caller closes it after the feed. */
  public DurableKvFeedBuilder snapshots(SnapshotStore store) {
    this.snapshots = Objects.requireNonNull(store, "store");
    return this;
  }

  /** Sets whose log it is; a snapshot of anybody else is refused. */
  public DurableKvFeedBuilder scope(String namespace, String component) {
    this.scope = namespace + "/" + component;
    return this;
  }

  /**
   * Sets the index to feed, which nobody else does; the caller closes it after the feed. One that
   * cannot begin a load ({@link KvIndexer#beginLoad}) has every snapshot refused.
   */
  public DurableKvFeedBuilder index(KvIndexer index) {
    this.index = Objects.requireNonNull(index, "index");
    return this;
  }

  public DurableKvFeedBuilder environment(Environment environment) {
    this.environment = Objects.requireNonNull(environment, "environment");
    return this;
  }

  /** Sets who may write; everybody unless set. */
  public DurableKvFeedBuilder directory(WorkerDirectory workers) {
    this.directory = Objects.requireNonNull(workers, "workers");
    return this;
  }

  /**
   * Has the feed listen to live events as well, and tell who publishes them and writes none to the
   * log: a rank that the log has not shown within 20 seconds of a live event. What it says is not
   * applied.
   *
   * @param sources is told, and given to the router, whose health names such ranks
   */
  public DurableKvFeedBuilder liveEvents(
      EventPlane plane, EventScope scope, DurableSources sources) {
    if (!sources.readsLog()) {
      throw new IllegalArgumentException("sources must be those of a router that reads the log");
    }
    this.liveEvents =
        new LiveSources.Settings(
            Objects.requireNonNull(plane, "plane"),
            Objects.requireNonNull(scope, "scope"),
            sources);
    return this;
  }

  /**
   * Sets the router's id, unsigned, another in each life; drawn by chance unless set, the same for
   * all of one environment.
   *
   * @throws IllegalArgumentException if 0
   */
  public DurableKvFeedBuilder routerId(long id) {
    if (id == 0) {
      throw new IllegalArgumentException("router's id must not be 0");
    }
    this.routerId = id;
    return this;
  }

  public DurableKvFeedBuilder config(DurableConfig config) {
    this.config = Objects.requireNonNull(config, "config");
    return this;
  }

  /**
   * Starts feeding; the caller closes the feed before log, snapshots and index.
   *
   * @throws IllegalStateException if a required setting is missing
   */
  public DurableKvFeed start() {
    if (log == null || snapshots == null || scope == null || index == null || environment == null) {
      throw new IllegalStateException(
          "feed needs log, snapshots, scope, index and environment: log="
              + (log == null ? "missing" : "set")
              + ", snapshots="
              + (snapshots == null ? "missing" : "set")
              + ", scope="
              + (scope == null ? "missing" : "set")
              + ", index="
              + (index == null ? "missing" : "set")
              + ", environment="
              + (environment == null ? "missing" : "set"));
    }
    long id = routerId != 0 ? routerId : environment.random().split("durable-router-id").nextLong();
    return DurableKvFeed.start(
        new FeedCore(log, snapshots, scope, id, config, environment), index, directory, liveEvents);
  }
}
