// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.nats;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.durable.DurableConfig;
import io.dynamo4j.indexer.durable.DurableKvFeed;
import io.dynamo4j.transport.nats.DurableStreamConfig;
import io.dynamo4j.transport.nats.NatsDurableLog;
import io.dynamo4j.transport.nats.NatsOptions;
import io.dynamo4j.transport.nats.NatsSnapshotStore;
import io.dynamo4j.transport.nats.NatsTransport;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One router of the durable mode with threads and a connection of its own. */
final class DurableRouter implements AutoCloseable {
  private static final long SECONDS = 60;

  private final RealEnvironment lanes = RealEnvironment.create();
  private final NatsTransport transport;
  private final NatsDurableLog log;
  private final NatsSnapshotStore snapshots;
  private final KvIndexer index;
  private @Nullable DurableKvFeed feed;

  DurableRouter(String server, DurableStreamConfig stream) {
    transport =
        NatsTransport.create(
            lanes.environment(), NatsOptions.fromEnvironment(Map.of("NATS_SERVER", server)));
    log = NatsDurableLog.open(transport, stream);
    snapshots = NatsSnapshotStore.open(transport, stream);
    index = KvIndexer.builder().environment(lanes.environment()).blockSize(16).build();
  }

  Environment environment() {
    return lanes.environment();
  }

  NatsDurableLog log() {
    return log;
  }

  KvIndexer index() {
    return index;
  }

  DurableKvFeed feed() {
    return Objects.requireNonNull(feed, "not following yet");
  }

  void awaitConnected() throws InterruptedException {
    CountDownLatch connected = new CountDownLatch(1);
    transport.whenConfirmed(lanes.lane("connected"), connected::countDown);
    if (!connected.await(SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("server does not answer: status=" + transport.status());
    }
  }

  /** Begins to read: the newest snapshot, then what comes behind it. */
  void follow(DurableConfig config) {
    feed =
        DurableKvFeed.builder()
            .log(log)
            .snapshots(snapshots)
            .scope("bench", "backend")
            .index(index)
            .environment(lanes.environment())
            .config(config)
            .start();
  }

  @Override
  public void close() {
    if (feed != null) {
      feed.close();
    }
    snapshots.close();
    log.close();
    index.close();
    transport.close();
    lanes.close();
  }
}
