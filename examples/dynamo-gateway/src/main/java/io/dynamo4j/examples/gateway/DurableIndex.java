// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.gateway;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.indexer.DurableSources;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.durable.DurableConfig;
import io.dynamo4j.indexer.durable.DurableFeedStatus;
import io.dynamo4j.indexer.durable.DurableKvFeed;
import io.dynamo4j.indexer.durable.DurableKvFeedBuilder;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.transport.nats.DurableStreamConfig;
import io.dynamo4j.transport.nats.NatsDurableLog;
import io.dynamo4j.transport.nats.NatsEventPlane;
import io.dynamo4j.transport.nats.NatsOptions;
import io.dynamo4j.transport.nats.NatsSnapshotStore;
import io.dynamo4j.transport.nats.NatsTransport;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A router's index in the durable mode: it starts from the newest snapshot and follows the stream,
 * whether or not any worker or other router is there.
 */
public final class DurableIndex implements AutoCloseable {
  private final NatsTransport transport;
  private final NatsDurableLog log;
  private final NatsSnapshotStore snapshots;
  private final KvIndexer index;
  private final DurableSources sources = DurableSources.create(true);
  private final @Nullable NatsEventPlane events;
  private final DurableKvFeed feed;

  private DurableIndex(
      Environment environment,
      Map<String, String> variables,
      String namespace,
      String component,
      int blockSize,
      @Nullable EventScope live) {
    DurableStreamConfig stream =
        DurableStreamConfig.builder(namespace, component).fromEnvironment(variables).build();
    transport = NatsTransport.create(environment, NatsOptions.fromEnvironment(variables));
    log = NatsDurableLog.open(transport, stream);
    snapshots = NatsSnapshotStore.open(transport, stream);
    index = KvIndexer.builder().environment(environment).blockSize(blockSize).build();
    DurableKvFeedBuilder reading =
        DurableKvFeed.builder()
            .log(log)
            .snapshots(snapshots)
            .scope(namespace, component)
            .index(index)
            .environment(environment)
            .config(DurableConfig.ofDefaults());
    events = live == null ? null : NatsEventPlane.builder(transport).build();
    if (events != null && live != null) {
      reading.liveEvents(events, live, sources);
    }
    feed = reading.start();
  }

  /** Opens the index of a component. */
  public static DurableIndex open(
      Environment environment,
      Map<String, String> variables,
      String namespace,
      String component,
      int blockSize) {
    return new DurableIndex(environment, variables, namespace, component, blockSize, null);
  }

  /**
   * Opens the index of an endpoint's component, and listens to live events over NATS, too: {@link
   * #sources} says who publishes them and does not write to the stream.
   */
  public static DurableIndex open(
      Environment environment,
      Map<String, String> variables,
      EventScope.Endpoint endpoint,
      int blockSize) {
    return new DurableIndex(
        environment, variables, endpoint.namespace(), endpoint.component(), blockSize, endpoint);
  }

  /** Returns what a router's health compares: {@code KvRouter.builder().durableSources(…)}. */
  public DurableSources sources() {
    return sources;
  }

  /** Returns a stage that completes once all is known that was known when this was opened. */
  public CompletionStage<Void> caughtUp() {
    return feed.caughtUp();
  }

  public KvIndexer index() {
    return index;
  }

  public DurableFeedStatus status() {
    return feed.status();
  }

  @Override
  public void close() {
    feed.close();
    if (events != null) {
      events.close();
    }
    snapshots.close();
    log.close();
    index.close();
    transport.close();
  }
}
