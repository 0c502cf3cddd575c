// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.nats;

import io.dynamo4j.benchmarks.BenchResult.Fact;
import io.dynamo4j.benchmarks.BenchResult.Row;
import io.dynamo4j.benchmarks.ChecksumMismatchException;
import io.dynamo4j.benchmarks.Medians;
import io.dynamo4j.core.model.KvCacheEventData.Stored;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.durable.DurableConfig;
import io.dynamo4j.indexer.durable.DurableKvPublisher;
import io.dynamo4j.transport.nats.DurableStreamConfig;
import io.nats.client.JetStreamApiException;
import io.nats.client.ObjectStore;
import io.nats.client.api.ObjectInfo;
import java.io.IOException;
import java.io.OutputStream;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The start of a router from a snapshot, against reading the same bytes with the bare client. */
final class SnapshotRounds {
  private static final long MINUTES = 5;
  private static final int WORKERS = 8;
  private static final int BLOCKS_EACH = 64;
  private static final int WARM_UP = 3;
  private static final int BLOCKS = 1_000_000;
  private static final int QUICK_BLOCKS = 8_192;
  private static final int STORES_AT_ONCE = 512;
  private static final long LOOK_NANOS = 5_000_000;

  private final String server;
  private final boolean isQuick;
  private final int blocks;
  private final DurableStreamConfig stream =
      DurableStreamConfig.builder("bench", "backend").build();

  SnapshotRounds(String server, boolean isQuick) {
    this.server = server;
    this.isQuick = isQuick;
    this.blocks = isQuick ? QUICK_BLOCKS : BLOCKS;
  }

  void measure(List<Row> rows, List<Fact> facts)
      throws IOException, InterruptedException, JetStreamApiException, NoSuchAlgorithmException {
    long known = cover(write());
    Medians rounds = new Medians();
    long bytes = 0;
    int count = isQuick ? 1 : 7;
    try (Client reader = Client.connect(server)) {
      for (int round = isQuick ? -1 : -WARM_UP; round < count; round++) {
        ObjectStore objects = reader.connection().objectStore(stream.bucket());
        ObjectInfo newest = newest(objects);
        long start = System.nanoTime();
        objects.get(newest.getObjectName(), OutputStream.nullOutputStream());
        double reference = (System.nanoTime() - start) / 1e6;
        bytes = newest.getSize();
        double ours = start(known);
        if (round >= 0) {
          rounds.add("reference", reference);
          rounds.add("ours", ours);
        }
      }
    }
    String name = "start from a snapshot of " + blocks + " blocks";
    rows.add(Row.lowerIsBetter(name, rounds.of("ours"), rounds.of("reference"), "ms"));
    facts.add(new Fact("bytes of a snapshot of " + blocks + " blocks", bytes, "B"));
  }

  private static ObjectInfo newest(ObjectStore objects)
      throws IOException, InterruptedException, JetStreamApiException {
    ObjectInfo newest = null;
    for (ObjectInfo each : objects.getList()) {
      if (newest == null || each.getObjectName().compareTo(newest.getObjectName()) > 0) {
        newest = each;
      }
    }
    if (newest == null) {
      throw new IllegalStateException("no snapshot is there");
    }
    return newest;
  }

  /** Fills the log, and returns how many blocks a router knows then. */
  private long write() throws InterruptedException {
    try (DurableRouter router = new DurableRouter(server, stream)) {
      router.follow(
          DurableConfig.builder()
              .snapshotThreshold(blocks / BLOCKS_EACH)
              .checkInterval(Duration.ofMillis(50))
              .build());
      SplittableRandom random = new SplittableRandom(11);
      long known = 0;
      for (int worker = 1; worker <= WORKERS; worker++) {
        known = write(new WorkerWithDpRank(worker, 0), random, router, known);
      }
      return known;
    }
  }

  private long write(
      WorkerWithDpRank rank, SplittableRandom random, DurableRouter router, long knownBefore) {
    try (DurableKvPublisher publisher =
        DurableKvPublisher.start(rank, router.log(), router.environment())) {
      long known = knownBefore;
      for (int i = 0; i < blocks / WORKERS / BLOCKS_EACH; i++) {
        long[] hashes = random.longs(BLOCKS_EACH).toArray();
        long[] contents = random.longs(BLOCKS_EACH).toArray();
        publisher.publish(StorageTier.DEVICE, List.of(Stored.atRoot(hashes, contents)));
        known += BLOCKS_EACH;
        if (i % STORES_AT_ONCE == 0) {
          long sent = known;
          await(() -> router.index().status().blocks() >= sent);
        }
      }
      long sent = known;
      await(() -> router.index().status().blocks() == sent);
      return known;
    }
  }

  /** Has a snapshot taken that covers all so far, and returns how many blocks are known then. */
  private long cover(long knownBefore) throws InterruptedException {
    try (DurableRouter router = new DurableRouter(server, stream)) {
      long last = get(router.log().facts()).lastSequence();
      router.follow(
          DurableConfig.builder()
              .snapshotThreshold(1)
              .checkInterval(Duration.ofMillis(50))
              .build());
      // Without a new event none is due.
      WorkerWithDpRank another = new WorkerWithDpRank(WORKERS + 1, 0);
      try (DurableKvPublisher publisher =
          DurableKvPublisher.start(another, router.log(), router.environment())) {
        Stored one = Stored.atRoot(new long[] {1}, new long[] {1});
        publisher.publish(StorageTier.DEVICE, List.of(one));
        await(() -> router.index().status().blocks() == knownBefore + 1);
      }
      await(() -> router.feed().status().coveredSequence() >= last);
      return knownBefore + 1;
    }
  }

  /** Returns the milliseconds until a router that starts now knows everything. */
  private double start(long known) throws InterruptedException {
    try (DurableRouter router = new DurableRouter(server, stream)) {
      router.awaitConnected();
      long start = System.nanoTime();
      router.follow(DurableConfig.ofDefaults());
      get(router.feed().caughtUp());
      double millis = (System.nanoTime() - start) / 1e6;
      ChecksumMismatchException.requireEqual(
          "blocks known", router.index().status().blocks(), known);
      return millis;
    }
  }

  private static void await(BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > TimeUnit.MINUTES.toNanos(MINUTES)) {
        throw new IllegalStateException("the snapshot does not come about");
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  private static <T> T get(CompletionStage<T> stage) throws InterruptedException {
    try {
      return stage.toCompletableFuture().get(MINUTES, TimeUnit.MINUTES);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("router does not start", e);
    }
  }
}
