// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.discovery;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.EventChannel;
import io.dynamo4j.plane.EventChannelDirectory;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.wire.DiscoveryRecord;
import io.dynamo4j.wire.ModelCard;
import io.dynamo4j.wire.RecordKeys;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Dynamo's file backend: what every process of a fleet on one file system says about itself, and
 * what this one says.
 *
 * <p>A worker is registered when its endpoint's record and its model card are there, other
 * endpoints by their record alone ({@link Builder#withoutModelCards}); it is gone when its file is,
 * or was not touched for the time to live. Files that cannot be read count ({@link
 * #unreadableCount}) and are read again with the next scan. Records of our own are touched three
 * times in their time to live, and written again if somebody took them away, as others do with the
 * files of a process that stood still.
 *
 * <p><b>Lanes.</b> Files are listed, read and written on one lane of the environment. On a file
 * system that makes wait, give discovery an environment of its own.
 *
 * <p><b>Threads.</b> Any.
 */
public final class FileDiscovery implements AutoCloseable {
  private final FileRegistry registry;

  private FileDiscovery(Builder builder) {
    this.registry = new FileRegistry(builder);
    registry.start();
  }

  /** Starts a discovery over a folder, which need not be there yet. */
  public static Builder builder(Environment environment, Path root) {
    return new Builder(environment, root);
  }

  /** Returns the folder that Dynamo's processes use under these environment variables. */
  public static Path root(Map<String, String> environment) {
    String root = environment.getOrDefault("DYN_FILE_KV", "");
    return root.isBlank()
        ? Path.of(environment.getOrDefault("TMPDIR", "/tmp"), "dynamo_store_kv")
        : Path.of(root);
  }

  /* --------------- Reading --------------- */

  /** Returns the workers that serve the endpoint looked for. */
  public WorkerDirectory workers() {
    return registry.workers();
  }

  /** Returns the publishers of events; what is registered there is written for others to see. */
  public EventChannelDirectory eventChannels() {
    return registry.eventChannels();
  }

  /**
   * Returns the endpoint that answers what the rank's events were, or null if no event source names
   * one.
   */
  public @Nullable WorkerInstance recoveryTarget(WorkerInstance worker, WorkerWithDpRank rank) {
    for (DiscoveryRecord.Source source : registry.sources()) {
      DiscoveryRecord.Instance recovery = source.recovery();
      if (source.worker().equals(rank) && recovery != null) {
        return WorkerInstance.builder(recovery.instanceId(), recovery.address())
            .incarnation(worker.incarnation())
            .dpRanks(rank.dpRank(), 1)
            .build();
      }
    }
    return null;
  }

  /** Returns the ids of publishers whose {@code kv-events} are said to be the rank's. */
  public long[] publishersOf(WorkerWithDpRank rank) {
    return registry.sources().stream()
        .filter(source -> source.worker().equals(rank))
        .mapToLong(DiscoveryRecord.Source::publisherId)
        .toArray();
  }

  /** Returns the ids of workers that cannot be chosen because their model card is missing. */
  public long[] workersWithoutCard() {
    return registry.withoutCard();
  }

  /** Returns how many files the last scan could not read. */
  public int unreadableCount() {
    return registry.unreadableCount();
  }

  /** Returns how many scans and keep-alives have failed for the file system's reasons. */
  public long failureCount() {
    return registry.failureCount();
  }

  /* --------------- Registering --------------- */

  /** Registers a worker: its model's card, then its endpoint. */
  public Registration registerWorker(
      EventScope.Endpoint endpoint, WorkerInstance instance, ModelFolder model) {
    Objects.requireNonNull(model, "model");
    ModelCard card = ModelCard.of(instance, model.card());
    String key = RecordKeys.instance(endpoint, instance.workerId());
    return registry.register(
        List.of(
            new OwnRecord(
                RecordKeys.MODELS,
                key,
                new DiscoveryRecord.Model(endpoint, instance.workerId(), card)),
            new OwnRecord(
                RecordKeys.INSTANCES,
                key,
                new DiscoveryRecord.Instance(endpoint, instance.workerId(), instance.address()))));
  }

  /** Registers an endpoint without a model, such as an index that answers queries. */
  public Registration registerEndpoint(EventScope.Endpoint endpoint, WorkerInstance instance) {
    return registry.register(
        List.of(
            new OwnRecord(
                RecordKeys.INSTANCES,
                RecordKeys.instance(endpoint, instance.workerId()),
                new DiscoveryRecord.Instance(endpoint, instance.workerId(), instance.address()))));
  }

  /**
   * Registers a source of {@code kv-events}: whose they are, and who answers for what was missed.
   *
   * @param channel where they are published; registered as well
   * @param recoveryEndpoint the name of the endpoint that answers
   * @param recovery where that is
   */
  public Registration registerSource(
      EventChannel channel,
      WorkerWithDpRank rank,
      EventScope.Endpoint recoveryEndpoint,
      WorkerInstance recovery) {
    String key = RecordKeys.publisher(channel.scope(), channel.topic(), channel.publisherId());
    return registry.register(
        List.of(
            OwnRecord.of(channel),
            new OwnRecord(
                RecordKeys.EVENT_SOURCES,
                key,
                new DiscoveryRecord.Source(
                    channel.scope(),
                    channel.topic(),
                    channel.publisherId(),
                    rank,
                    new DiscoveryRecord.Instance(
                        recoveryEndpoint, recovery.workerId(), recovery.address())))));
  }

  /** Takes our own records away before it returns, and looks at no others any more. Idempotent. */
  @Override
  public void close() {
    registry.close();
  }

  /** Builds a {@link FileDiscovery}. */
  public static final class Builder {
    private final Environment environment;
    private final Path root;
    private @Nullable String namespace;
    private @Nullable String component;
    private String endpoint = "generate";
    private boolean needsModelCard = true;
    private Duration scanInterval = Duration.ofMillis(500);
    private Duration timeToLive = Duration.ofSeconds(10);

    private Builder(Environment environment, Path root) {
      this.environment = Objects.requireNonNull(environment, "environment");
      this.root = Objects.requireNonNull(root, "root");
    }

    /** Looks at workers of one namespace; at all unless set. */
    public Builder namespace(String namespace) {
      this.namespace = Objects.requireNonNull(namespace, "namespace");
      return this;
    }

    /** Looks at workers of one component; at all unless set. */
    public Builder component(String component) {
      this.component = Objects.requireNonNull(component, "component");
      return this;
    }

    /** Looks at workers that serve this endpoint; {@code generate} unless set. */
    public Builder endpoint(String endpoint) {
      this.endpoint = Objects.requireNonNull(endpoint, "endpoint");
      return this;
    }

    /**
     * Looks at endpoints as soon as their own record is there, for those that serve no model, such
     * as the {@code kv_indexer_query} of routers that answer for their index. Unless set, an
     * endpoint without a model card is none.
     */
    public Builder withoutModelCards() {
      this.needsModelCard = false;
      return this;
    }

    /** Sets how often the files are looked at; 500 ms unless set. */
    public Builder scanInterval(Duration interval) {
      this.scanInterval = positive("scanInterval", interval);
      return this;
    }

    /** Sets how old a living file may be; 10 s, as Dynamo has it, unless set. */
    public Builder timeToLive(Duration timeToLive) {
      this.timeToLive = positive("timeToLive", timeToLive);
      return this;
    }

    private static Duration positive(String name, Duration value) {
      if (value.isNegative() || value.isZero()) {
        throw new IllegalArgumentException(name + " must be positive: " + name + "=" + value);
      }
      return value;
    }

    /** Returns a discovery that has begun to look. */
    public FileDiscovery build() {
      return new FileDiscovery(this);
    }

    Environment environment() {
      return environment;
    }

    Path root() {
      return root;
    }

    Duration scanInterval() {
      return scanInterval;
    }

    Duration timeToLive() {
      return timeToLive;
    }

    boolean needsModelCard() {
      return needsModelCard;
    }

    boolean isLookedFor(EventScope.Endpoint of) {
      return of.endpoint().equals(endpoint)
          && (namespace == null || namespace.equals(of.namespace()))
          && (component == null || component.equals(of.component()));
    }
  }
}
