// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.indexer.IndexLoad;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.plane.SnapshotPieces;
import io.dynamo4j.testkit.durable.SimulatedLogServer;
import io.dynamo4j.testkit.durable.SimulatedLogSettings;
import io.dynamo4j.testkit.simulation.Simulation;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** A snapshot that turns out to be damaged once part of it has been applied. */
class StreamedSnapshotTest {
  private static final int SEEDS = 30;
  private static final String SCOPE = "ns/backend";

  private final Simulation simulation = Simulation.builder().seed(1).build();
  private final SimulatedLogServer server =
      SimulatedLogServer.start(simulation, "log", SimulatedLogSettings.ofDefaults());

  /** Of several chunks, so that some are applied before one shows the damage. */
  private byte[] snapshot() throws IOException {
    KvIndexer index = index();
    RankCursors cursors = new RankCursors();
    for (int worker = 1; worker <= 20; worker++) {
      long[] blocks = new long[1_000];
      long first = worker * 10_000L;
      Arrays.setAll(blocks, i -> first + i);
      KvCacheEvent event = KvCacheEvent.of(1, 0, KvCacheEventData.Stored.atRoot(blocks, blocks));
      index.submit(RouterEvent.of(worker, StorageTier.DEVICE, event));
      cursors.restore(new WorkerWithDpRank(worker, 0), 5, 1, true);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    simulation.await(DurableSnapshotFormat.write(SCOPE, 9, cursors, index, out));
    return out.toByteArray();
  }

  private KvIndexer index() {
    return KvIndexer.builder()
        .environment(simulation.environment("loader"))
        .blockSize(16)
        .eventLanes(2)
        .build();
  }

  /** What one attempt to load comes to. */
  private record Outcome(boolean isLoaded, long blocks, int ranks) {}

  private Outcome load(KvIndexer index, SnapshotPieces pieces) {
    Environment environment = simulation.environment("loader");
    FeedCore core =
        new FeedCore(
            server.log(environment),
            server.snapshots(environment),
            SCOPE,
            1,
            DurableFleet.config(),
            environment);
    EventApplier applier = new EventApplier(index, null, null, core.counts);
    boolean[] isLoaded = {false};
    CompletableFuture<Void> ended = new CompletableFuture<>();
    environment
        .lanes()
        .lane("start")
        .execute(
            () ->
                new DurableSnapshotLoad(core, applier, pieces)
                    .load()
                    .whenComplete(
                        (covered, failure) -> {
                          isLoaded[0] = failure == null;
                          ended.complete(null);
                        }));
    simulation.await(ended);
    simulation.await(index.flush());
    return new Outcome(isLoaded[0], index.status().blocks(), applier.cursors().size());
  }

  @Test
  void shouldBeAsIfItHadNeverSeenADamagedSnapshot() throws IOException {
    byte[] right = snapshot();
    Outcome whole = load(index(), new Bytes(right, RandomSource.seeded(0)));
    assertThat(whole).isEqualTo(new Outcome(true, 20_000, 20));
    for (long seed = 1; seed <= SEEDS; seed++) {
      Outcome outcome = load(index(), damaged(right, seed));
      assertThat(outcome).as("seed=%d", seed).isEqualTo(new Outcome(false, 0, 0));
    }
  }

  @Test
  void shouldCatchIndexThatShowsWhatWasNotChecked() throws IOException {
    byte[] right = snapshot();
    boolean isCaught = false;
    for (long seed = 1; seed <= SEEDS && !isCaught; seed++) {
      Outcome outcome = load(showingAtOnce(index()), damaged(right, seed));
      isCaught = outcome.blocks() > 0;
    }
    assertThat(isCaught).isTrue();
  }

  private static SnapshotPieces damaged(byte[] right, long seed) {
    RandomSource random = RandomSource.seeded(seed);
    int at = random.nextInt(right.length);
    byte[] damaged = random.nextInt(3) == 0 ? Arrays.copyOf(right, at) : right.clone();
    if (damaged.length == right.length) {
      damaged[at] ^= (byte) (1 << random.nextInt(8));
    }
    return new Bytes(damaged, random);
  }

  /** Breaks the contract of loads: what they bring is there at once. */
  private static KvIndexer showingAtOnce(KvIndexer right) {
    IndexLoad planted =
        new IndexLoad() {
          @Override
          public boolean submit(RouterEvent event) {
            return right.submit(event);
          }

          @Override
          public void expect(WorkerWithDpRank worker, long blocks) {
            right.expect(worker, blocks);
          }

          @Override
          public CompletionStage<Void> commit() {
            return right.flush();
          }

          @Override
          public void abandon() {
            // What has come stays.
          }
        };
    return (KvIndexer)
        Proxy.newProxyInstance(
            KvIndexer.class.getClassLoader(),
            new Class<?>[] {KvIndexer.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("beginLoad")) {
                return Optional.of(planted);
              }
              try {
                return method.invoke(right, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** Pieces of any length that nobody has checked. */
  private static final class Bytes implements SnapshotPieces {
    private final byte[] content;
    private final RandomSource random;
    private final int most;
    private int at;

    Bytes(byte[] content, RandomSource random) {
      this.content = content;
      this.random = random;
      this.most = 1 + random.nextInt(20_000);
    }

    @Override
    public CompletionStage<Optional<byte[]>> next() {
      int from = at;
      at = Math.min(content.length, from + 1 + random.nextInt(most));
      return CompletableFuture.completedFuture(
          from == at ? Optional.empty() : Optional.of(Arrays.copyOfRange(content, from, at)));
    }

    @Override
    public long totalBytes() {
      return content.length;
    }

    @Override
    public void close() {
      // Memory only.
    }
  }
}
