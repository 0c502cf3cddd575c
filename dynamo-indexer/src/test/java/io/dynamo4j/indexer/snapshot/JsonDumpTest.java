// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.testing.Mutations;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.TieredOverlap;
import io.dynamo4j.indexer.snapshot.SnapshotFormatException.Reason;
import io.dynamo4j.testkit.simulation.Simulation;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class JsonDumpTest {
  // As a recorded router dumps it.
  private static final String RECORDED =
      """
      [{"worker_id": 7, "storage_tier": "device", "residency_domain": "worker", "event": {
        "event_id": 0, "data": {"stored": {"parent_hash": null, "start_position": null, "blocks": [
          {"block_hash": 1882066802464821861, "tokens_hash": 1882066802464821861,
           "mm_extra_info": null},
          {"block_hash": 16939728534386177975, "tokens_hash": 13309149474074351057,
           "mm_extra_info": null}]}}, "dp_rank": 0}}]
      """;

  private final Simulation simulation = Simulation.builder().seed(1).build();

  private KvIndexer index() {
    return KvIndexer.builder().environment(simulation.environment("router")).blockSize(4).build();
  }

  private String dumped(KvIndexer index) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    simulation.await(JsonDump.write(index, out));
    return out.toString(StandardCharsets.UTF_8);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void shouldReadWhatARouterOfThePeerDumpsAndWriteTheSame() throws SnapshotFormatException {
    KvIndexer index = index();
    JsonDump.read(bytes(RECORDED)).forEach(index::submit);
    simulation.await(index.flush());
    long[] query = {1882066802464821861L, Long.parseUnsignedLong("13309149474074351057")};
    OverlapScores out = OverlapScores.create();
    index.findMatches(query, 2, out);
    assertThat(out.depth(0)).isEqualTo(2);
    assertThat(dumped(index)).isEqualTo(RECORDED.replaceAll("\\s", ""));
  }

  @Test
  void shouldCarryAllTiersAndNumberEvents() throws SnapshotFormatException {
    KvIndexer before = index();
    long[] block = {5};
    long workerId = 0;
    for (StorageTier tier : StorageTier.values()) {
      before.submit(
          RouterEvent.of(
              workerId++,
              tier,
              KvCacheEvent.of(9, 2, KvCacheEventData.Stored.atRoot(block, block))));
    }
    String json = dumped(before);
    assertThat(json).contains("\"event_id\":0").contains("\"event_id\":3");
    KvIndexer after = index();
    JsonDump.read(bytes(json)).forEach(after::submit);
    simulation.await(after.flush());
    TieredOverlap out = TieredOverlap.create();
    after.findMatches(block, 1, out);
    for (StorageTier tier : StorageTier.values()) {
      assertThat(out.of(tier).size()).as("tier=%s", tier).isEqualTo(1);
    }
    assertThat(dumped(index())).isEqualTo("[]");
  }

  @Test
  void shouldRefuseWhatIsNoDump() {
    assertThat(reason("[{")).isEqualTo(Reason.TRUNCATED);
    assertThat(reason(RECORDED.substring(0, 300))).isEqualTo(Reason.TRUNCATED);
    assertThat(reason("no json")).isEqualTo(Reason.MALFORMED);
    assertThat(reason("[] []")).isEqualTo(Reason.TRAILING_BYTES);
    assertThat(reason("[{\"worker_id\": 1}]")).isEqualTo(Reason.MALFORMED);
    assertThat(reason(RECORDED.replace("\"stored\"", "\"stirred\""))).isEqualTo(Reason.MALFORMED);
  }

  @Test
  void shouldSayAtWhichByteADumpIsRefused() {
    String event = RECORDED.strip().substring(1, RECORDED.strip().length() - 1);
    String bad = event.replace("\"device\"", "\"drum\"");
    String json = "[" + event + ", " + event + ",\n " + bad + "]";
    SnapshotFormatException unusable = refusal(json);
    assertThat(unusable.reason()).isEqualTo(Reason.MALFORMED);
    assertThat(unusable.offset()).isEqualTo(json.indexOf(bad));
    assertThat(unusable)
        .hasMessageContaining("offset=" + json.indexOf(bad))
        .hasMessageContaining("event=2, why=UNKNOWN_TIER:1, usable=2");

    String broken = "[" + event + ", x" + event + "]";
    assertThat(refusal(broken).offset())
        .isBetween((long) broken.indexOf(", x"), broken.indexOf(", x") + 9L);
    String cut = "[" + event + ", " + event.substring(0, 100);
    assertThat(refusal(cut).offset()).isBetween(cut.length() - 1L, cut.length() + 1L);
    assertThat(refusal("[] []").offset()).isBetween(2L, 5L);
    assertThat(refusal("{\"worker_id\": 1}").offset()).isZero();
  }

  @Test
  void shouldReadOrRefuseEveryMutationWithAnOffsetInIt() {
    byte[] right = bytes(RECORDED);
    Mutations mutations = Mutations.seeded(1);
    int refused = 0;
    int count = Mutations.count(3_000);
    for (int i = 0; i < count; i++) {
      byte[] mutated = mutations.of(right, right);
      try {
        JsonDump.read(mutated);
      } catch (SnapshotFormatException typed) {
        assertThat(typed.offset()).isBetween(0L, mutated.length + 1L);
        refused++;
      } catch (RuntimeException | Error other) {
        throw new AssertionError(new String(mutated, StandardCharsets.ISO_8859_1), other);
      }
    }
    assertThat(refused).isBetween(1, count);
  }

  private static SnapshotFormatException refusal(String json) {
    return catchThrowableOfType(SnapshotFormatException.class, () -> JsonDump.read(bytes(json)));
  }

  private static Reason reason(String json) {
    return refusal(json).reason();
  }
}
