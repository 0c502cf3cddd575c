// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.testing.EventStreams;
import io.dynamo4j.core.testing.EventStreams.Hashes;
import io.dynamo4j.core.testing.IndexStep;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.TieredOverlap;
import io.dynamo4j.indexer.snapshot.SnapshotFormatException.Reason;
import io.dynamo4j.testkit.simulation.Simulation;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class IndexSnapshotsTest {
  private static final List<StorageTier> LOWER =
      List.of(StorageTier.HOST_PINNED, StorageTier.DISK, StorageTier.EXTERNAL);

  private final Simulation simulation = Simulation.builder().seed(1).build();

  private KvIndexer index(int lanes, int blockSize) {
    return KvIndexer.builder()
        .environment(simulation.environment("router"))
        .blockSize(blockSize)
        .eventLanes(lanes)
        .build();
  }

  private static RouterEvent event(
      long workerId, int dpRank, StorageTier tier, KvCacheEventData data) {
    return RouterEvent.of(workerId, tier, KvCacheEvent.of(1, dpRank, data));
  }

  private KvIndexer filled(long seed, Hashes hashes) {
    KvIndexer index = index(2, 16);
    for (IndexStep each : EventStreams.of(seed, hashes, 300)) {
      if (each instanceof IndexStep.Event event) {
        index.submit(
            event(
                event.worker().workerId(),
                event.worker().dpRank(),
                StorageTier.DEVICE,
                event.data()));
      }
    }
    RandomSource random = RandomSource.seeded(seed);
    for (int i = 0; i < 20; i++) {
      long[] locals = {random.nextInt(3) - 1L, random.nextInt(3) - 1L, random.nextInt(3) - 1L};
      long[] below = new long[3];
      for (int depth = 0; depth < 3; depth++) {
        below[depth] =
            1_000L * (depth + 1) + (depth == 0 ? 0 : below[depth - 1] * 5) + locals[depth];
      }
      StorageTier tier = LOWER.get(random.nextInt(3));
      KvCacheEventData data = KvCacheEventData.Stored.atRoot(below, locals);
      index.submit(event(random.nextInt(2), random.nextInt(2), tier, data));
    }
    simulation.await(index.flush());
    return index;
  }

  private byte[] written(KvIndexer index) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    SnapshotSummary summary = simulation.await(IndexSnapshots.write(index, out));
    assertThat(summary.bytes()).isEqualTo(out.size());
    return out.toByteArray();
  }

  private SnapshotSummary load(KvIndexer index, byte[] snapshot) throws IOException {
    return simulation.await(IndexSnapshots.load(index, () -> new ByteArrayInputStream(snapshot)));
  }

  /** Every answer that the few contents of the streams can lead to. */
  private static Map<String, Map<String, Integer>> answers(KvIndexer index) {
    Map<String, Map<String, Integer>> answers = new LinkedHashMap<>();
    TieredOverlap out = TieredOverlap.create();
    for (int number = 0; number < 81; number++) {
      long[] query = {number % 3 - 1, number / 3 % 3 - 1, number / 9 % 3 - 1, number / 27 - 1};
      index.findMatches(query, query.length, out);
      Map<String, Integer> found = new TreeMap<>();
      for (StorageTier tier : StorageTier.values()) {
        OverlapScores scores = out.of(tier);
        for (int i = 0; i < scores.size(); i++) {
          found.put(tier + " " + scores.worker(i), scores.depth(i));
        }
      }
      answers.put(Arrays.toString(query), found);
    }
    return answers;
  }

  @ParameterizedTest
  @EnumSource
  void shouldAnswerEveryQueryAlikeAfterALoad(Hashes hashes) throws IOException {
    for (long seed = 1; seed <= 5; seed++) {
      KvIndexer before = filled(seed, hashes);
      byte[] snapshot = written(before);
      KvIndexer after = index(3, 16);
      SnapshotSummary summary = load(after, snapshot);
      assertThat(answers(after)).as("seed=%d", seed).isEqualTo(answers(before));
      assertThat(summary.bytes()).isEqualTo(snapshot.length);
      assertThat(IndexSnapshots.verify(new ByteArrayInputStream(snapshot), 16)).isEqualTo(summary);
    }
  }

  @Test
  void shouldCarryStoresLongerThanAChunkAndMoreThanOneRound() throws IOException {
    KvIndexer before = index(1, 16);
    long[] chain = new long[20_000];
    Arrays.setAll(chain, i -> i + 7L);
    before.submit(event(1, 0, StorageTier.DEVICE, KvCacheEventData.Stored.atRoot(chain, chain)));
    for (long i = 0; i < 2_000; i++) {
      long[] block = {-i - 1};
      before.submit(event(i, 3, StorageTier.DEVICE, KvCacheEventData.Stored.atRoot(block, block)));
    }
    KvIndexer after = index(2, 16);
    SnapshotSummary summary = load(after, written(before));
    assertThat(summary.blocks()).isEqualTo(22_000);
    assertThat(after.status().blocks()).isEqualTo(22_000);
    OverlapScores out = OverlapScores.create();
    after.findMatches(chain, chain.length, out);
    assertThat(out.depth(0)).isEqualTo(chain.length);
  }

  @Test
  void shouldRefuseEveryTruncationAndLeaveTheIndexAsItWas() {
    byte[] snapshot = written(filled(2, Hashes.OF_CONTENT));
    KvIndexer index = index(1, 16);
    for (int length = 0; length < snapshot.length; length++) {
      byte[] cut = Arrays.copyOf(snapshot, length);
      SnapshotFormatException refused =
          catchThrowableOfType(SnapshotFormatException.class, () -> load(index, cut));
      assertThat(refused).as("length=%d", length).isNotNull();
      assertThat(refused.reason()).isEqualTo(Reason.TRUNCATED);
      assertThat(refused.offset()).isEqualTo(length);
    }
    simulation.await(index.flush());
    assertThat(index.status().blocks()).isZero();
  }

  @Test
  void shouldRefuseEveryFlippedByteAndLeaveTheIndexAsItWas() {
    byte[] snapshot = written(filled(2, Hashes.OF_CONTENT));
    KvIndexer index = index(1, 16);
    for (int at = 0; at < snapshot.length; at++) {
      byte[] flipped = snapshot.clone();
      flipped[at] ^= (byte) (1 << at % 8);
      assertThatThrownBy(() -> load(index, flipped))
          .as("at=%d", at)
          .isInstanceOf(SnapshotFormatException.class)
          .hasMessageContaining("offset=");
    }
    simulation.await(index.flush());
    assertThat(index.status().blocks()).isZero();
    assertThat(index.status().lowerTierBlocks()).isZero();
  }

  @Test
  void shouldSayWhyWhatIsNoSnapshotIsRefused() {
    byte[] snapshot = written(filled(2, Hashes.OF_CONTENT));
    byte[] foreign = "{\"not\": \"a snapshot at all\"}".getBytes(StandardCharsets.UTF_8);
    assertThat(reason(foreign, 16)).isEqualTo(Reason.FOREIGN);
    byte[] newer = snapshot.clone();
    newer[9]++;
    assertThat(reason(newer, 16)).isEqualTo(Reason.NEWER_VERSION);
    assertThat(reason(snapshot, 32)).isEqualTo(Reason.OTHER_BLOCK_SIZE);
    assertThat(reason(Arrays.copyOf(snapshot, snapshot.length + 1), 16))
        .isEqualTo(Reason.TRAILING_BYTES);
    byte[] corrupt = snapshot.clone();
    corrupt[40]++;
    assertThat(reason(corrupt, 16)).isEqualTo(Reason.CORRUPT);
  }

  private Reason reason(byte[] bytes, int blockSize) {
    return catchThrowableOfType(
            SnapshotFormatException.class, () -> load(index(1, blockSize), bytes))
        .reason();
  }

  @Test
  void shouldFailWhenTheStreamFailsOrTheIndexIsClosed() {
    KvIndexer index = filled(2, Hashes.OF_CONTENT);
    OutputStream full =
        new OutputStream() {
          private int left = 100;

          @Override
          public void write(int b) throws IOException {
            if (left-- == 0) {
              throw new IOException("disk is full");
            }
          }
        };
    assertThatThrownBy(() -> simulation.await(IndexSnapshots.write(index, full)))
        .hasStackTraceContaining("disk is full");
    byte[] snapshot = written(index);
    index.close();
    assertThatThrownBy(() -> load(index, snapshot)).isNotNull();
    assertThatThrownBy(
            () -> simulation.await(IndexSnapshots.write(index, OutputStream.nullOutputStream())))
        .isNotNull();
  }
}
