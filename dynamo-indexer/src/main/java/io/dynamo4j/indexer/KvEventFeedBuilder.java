// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.WorkerDirectory;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds a {@link KvEventFeed}: everything but {@link #recovery} is required. */
public final class KvEventFeedBuilder {
  private @Nullable EventPlane eventPlane;
  private @Nullable EventScope scope;
  private @Nullable WorkerDirectory directory;
  private @Nullable KvIndexer indexer;
  private @Nullable Environment environment;
  private @Nullable RequestPlane<byte[], byte[]> recoveryPlane;
  private @Nullable RecoveryTargets targets;
  private RecoveryConfig recoveryConfig = RecoveryConfig.ofDefaults();

  KvEventFeedBuilder() {}

  /** Sets where events come from and the endpoint whose workers publish. */
  public KvEventFeedBuilder eventPlane(EventPlane plane, EventScope scope) {
    this.eventPlane = Objects.requireNonNull(plane, "plane");
    this.scope = Objects.requireNonNull(scope, "scope");
    return this;
  }

  /** Sets who may write. */
  public KvEventFeedBuilder directory(WorkerDirectory directory) {
    this.directory = Objects.requireNonNull(directory, "directory");
    return this;
  }

  /** Sets the index to feed; the caller closes it after the feed. */
  public KvEventFeedBuilder indexer(KvIndexer indexer) {
    this.indexer = Objects.requireNonNull(indexer, "indexer");
    return this;
  }

  public KvEventFeedBuilder environment(Environment environment) {
    this.environment = Objects.requireNonNull(environment, "environment");
    return this;
  }

  /**
   * Has sources asked for what is missing. Without this a loss is counted and nothing else.
   *
   * @param plane carries queries and answers as Dynamo's MessagePack
   * @param targets says where each rank answers
   */
  public KvEventFeedBuilder recovery(RequestPlane<byte[], byte[]> plane, RecoveryTargets targets) {
    this.recoveryPlane = Objects.requireNonNull(plane, "plane");
    this.targets = Objects.requireNonNull(targets, "targets");
    return this;
  }

  /** Sets attempts, pauses and bounds of recovery. */
  public KvEventFeedBuilder recoveryConfig(RecoveryConfig config) {
    this.recoveryConfig = Objects.requireNonNull(config, "config");
    return this;
  }

  @Nullable RequestPlane<byte[], byte[]> recoveryPlane() {
    return recoveryPlane;
  }

  @Nullable RecoveryTargets targets() {
    return targets;
  }

  RecoveryConfig recoveryConfig() {
    return recoveryConfig;
  }

  /**
   * Starts feeding; the caller closes the feed before the index.
   *
   * @throws IllegalStateException if a required setting is missing
   * @throws IllegalArgumentException if the index takes no events; nothing is subscribed to then
   */
  public KvEventFeed connect() {
    if (eventPlane == null
        || scope == null
        || directory == null
        || indexer == null
        || environment == null) {
      throw new IllegalStateException(
          "feed needs plane, directory, index and environment: eventPlane="
              + (eventPlane == null ? "missing" : "set")
              + ", directory="
              + (directory == null ? "missing" : "set")
              + ", indexer="
              + (indexer == null ? "missing" : "set")
              + ", environment="
              + (environment == null ? "missing" : "set"));
    }
    if (indexer.isApproximate()) {
      throw new IllegalArgumentException(
          "index learns from decisions and takes no events: scope=" + scope);
    }
    return KvEventFeed.start(this, eventPlane, scope, directory, indexer, environment);
  }
}
