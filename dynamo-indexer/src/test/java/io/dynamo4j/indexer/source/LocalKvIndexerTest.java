// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.tree.RadixTree;
import io.dynamo4j.wire.JsonValues;
import io.dynamo4j.wire.RecoveryQuery;
import io.dynamo4j.wire.RecoveryResponse;
import io.dynamo4j.wire.RecoveryResponseCodec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class LocalKvIndexerTest {
  private static final WorkerWithDpRank RANK = new WorkerWithDpRank(7, 2);

  private final LocalKvIndexer index = index(4);

  private static LocalKvIndexer index(int ringEvents) {
    return LocalKvIndexer.builder(RANK).ringEvents(ringEvents).build();
  }

  private static KvCacheEventData store(long... hashes) {
    return KvCacheEventData.Stored.atRoot(hashes, hashes);
  }

  private static KvCacheEventData under(long parent, long... hashes) {
    return KvCacheEventData.Stored.under(parent, hashes, hashes);
  }

  private void record(KvCacheEventData... changes) {
    for (KvCacheEventData change : changes) {
      index.record(StorageTier.DEVICE, change);
    }
  }

  private static RecoveryResponse ask(LocalKvIndexer index, String fields) {
    String json = "{\"worker_id\":7,\"dp_rank\":2" + fields + "}";
    byte[] query = JsonValues.toMsgpack(json.getBytes(StandardCharsets.UTF_8));
    return RecoveryResponseCodec.decode(index.answer(query));
  }

  private RecoveryResponse ask(String fields) {
    return ask(index, fields);
  }

  private static List<Long> ids(List<RouterEvent> events) {
    return events.stream().map(event -> event.event().eventId()).toList();
  }

  /* --------------- Recording --------------- */

  @Test
  void shouldNumberEventsConsecutivelyFromOne() {
    RouterEvent first = index.record(StorageTier.DEVICE, store(5)).orElseThrow();
    RouterEvent second = index.record(StorageTier.DISK, store(5, 6)).orElseThrow();

    assertThat(first.worker()).isEqualTo(RANK);
    assertThat(first.event().eventId()).isEqualTo(1);
    assertThat(second.event().eventId()).isEqualTo(2);
    assertThat(second.tier()).isEqualTo(StorageTier.DISK);
    assertThat(index.lastEventId()).isEqualTo(2);
    assertThat(index.blockCount()).isEqualTo(3);
  }

  @Test
  void shouldSpendNoNumberOnAStoreThatNobodyCouldApply() {
    record(store(5));
    assertThat(index.record(StorageTier.DEVICE, under(9, 10))).isEmpty();
    assertThat(index.record(StorageTier.DEVICE, under(5, 6)).orElseThrow().event().eventId())
        .isEqualTo(2);
    assertThat(index.refusedEvents()).isEqualTo(1);
  }

  /* --------------- Answers, row by row --------------- */

  @Test
  void shouldAnswerADumpWhileNothingWasRecorded() {
    for (String fields : List.of("", ",\"start_event_id\":0", ",\"start_event_id\":9")) {
      RecoveryResponse.TreeDump dump = (RecoveryResponse.TreeDump) ask(fields);
      assertThat(dump.events().events()).isEmpty();
      assertThat(dump.lastEventId()).isZero();
    }
  }

  @Test
  void shouldRefuseAnEndBeforeTheStartWhateverItHolds() {
    String fields = ",\"start_event_id\":3,\"end_event_id\":2";
    assertThat(ask(fields)).isEqualTo(new RecoveryResponse.InvalidRange(3, 2));
    record(store(5));
    assertThat(ask(fields)).isEqualTo(new RecoveryResponse.InvalidRange(3, 2));
  }

  @Test
  void shouldSayThatAStartIsTooNew() {
    record(store(5), store(6));
    assertThat(ask(",\"start_event_id\":3"))
        .isEqualTo(new RecoveryResponse.TooNew(OptionalLong.of(3), OptionalLong.of(2), 2));
    assertThat(ask(",\"start_event_id\":18446744073709551615"))
        .isEqualTo(new RecoveryResponse.TooNew(OptionalLong.of(-1), OptionalLong.of(2), 2));
    assertThat(ask(",\"start_event_id\":3,\"end_event_id\":8"))
        .isEqualTo(new RecoveryResponse.TooNew(OptionalLong.of(3), OptionalLong.of(8), 2));
  }

  @Test
  void shouldAnswerEventsToTheNewestWhateverTheEnd() {
    record(store(5), store(6), store(7));
    RecoveryResponse.Events events =
        (RecoveryResponse.Events) ask(",\"start_event_id\":2,\"end_event_id\":2");
    assertThat(ids(events.events().events())).containsExactly(2L, 3L);
    assertThat(events.lastEventId()).isEqualTo(3);
  }

  @Test
  void shouldAnswerEventsFromTheLastClearOn() {
    record(store(5), store(6), KvCacheEventData.Cleared.instance(), store(7));
    RecoveryResponse.Events events = (RecoveryResponse.Events) ask(",\"start_event_id\":1");
    assertThat(ids(events.events().events())).containsExactly(3L, 4L);
  }

  @Test
  void shouldAnswerADumpWhenTheStartHasLeftTheRing() {
    record(store(5), store(6), store(7), store(8), store(9));
    assertThat(ask(",\"start_event_id\":2")).isInstanceOf(RecoveryResponse.Events.class);
    RecoveryResponse.TreeDump dump = (RecoveryResponse.TreeDump) ask(",\"start_event_id\":1");
    assertThat(dump.lastEventId()).isEqualTo(5);
    assertThat(ids(dump.events().events())).containsExactly(0L, 1L, 2L, 3L, 4L);
  }

  @Test
  void shouldAnswerASnapshotAndTheEventsSinceWithoutASecondWalk() {
    record(store(5), store(6));
    ask("");
    record(KvCacheEventData.Removed.of(new long[] {5}));
    RecoveryResponse.TreeDump dump = (RecoveryResponse.TreeDump) ask("");
    assertThat(ids(dump.events().events())).containsExactly(0L, 1L, 3L);
    for (int i = 0; i < 20; i++) {
      ask("");
    }
    assertThat(index.snapshotsTaken()).isEqualTo(1);
  }

  @Test
  void shouldTakeANewSnapshotOnceTheEventsSinceAreManyOrClearIt() {
    record(store(5));
    ask("");
    record(store(6), store(7), store(8));
    assertThat(ids(((RecoveryResponse.TreeDump) ask("")).events().events()))
        .containsExactly(0L, 1L, 2L, 3L);
    record(KvCacheEventData.Cleared.instance());
    assertThat(((RecoveryResponse.TreeDump) ask("")).events().events()).isEmpty();
    assertThat(index.snapshotsTaken()).isEqualTo(3);
  }

  @Test
  void shouldNumberASnapshotFromZeroForEachTier() {
    index.record(StorageTier.DISK, store(5));
    index.record(StorageTier.DEVICE, store(5));
    RecoveryResponse.TreeDump dump = (RecoveryResponse.TreeDump) ask("");
    assertThat(dump.events().events().stream().map(RouterEvent::tier))
        .containsExactly(StorageTier.DEVICE, StorageTier.DISK);
    assertThat(ids(dump.events().events())).containsExactly(0L, 0L);
  }

  @Test
  void shouldRefuseToAnswerForAnotherWorkerOrRank() {
    for (WorkerWithDpRank other : List.of(new WorkerWithDpRank(8, 2), new WorkerWithDpRank(7, 0))) {
      RecoveryResponse answer =
          RecoveryResponseCodec.decode(index.answer(RecoveryQuery.ofEverything(other).encode()));
      assertThat(answer).isInstanceOf(RecoveryResponse.Failed.class);
    }
  }

  @Test
  void shouldSayThatADumpIsTooLargeToThoseWhoUnderstand() {
    LocalKvIndexer small = LocalKvIndexer.builder(RANK).maxAnswerBytes(200).build();
    for (long hash = 0; hash < 9; hash++) {
      small.record(StorageTier.DEVICE, store(hash));
    }
    assertThat(ask(small, ",\"supports_tree_dump_failed\":true"))
        .isInstanceOf(RecoveryResponse.TreeDumpFailed.class);
    assertThat(ask(small, ""))
        .isInstanceOfSatisfying(
            RecoveryResponse.Failed.class,
            failed -> assertThat(failed.message()).startsWith("worker tree dump failed: "));
  }

  @Test
  void shouldNotAnswerWhatItCannotRead() {
    assertThatThrownBy(() -> index.answer(new byte[] {(byte) 0x80}))
        .isInstanceOf(DynamoException.class);
  }

  /* --------------- Whatever is asked, whenever --------------- */

  /** One who follows by any mixture of events and answers holds what the rank holds. */
  @Property(tries = 200)
  void shouldBringAnyFollowerToTheSameState(@ForAll long seed) {
    Random random = new Random(seed);
    LocalKvIndexer source = index(1 + random.nextInt(8));
    RadixTree follower = RadixTree.create(1);
    long next = 0;
    for (int step = 0; step < 60; step++) {
      source.record(StorageTier.DEVICE, change(random));
      if (random.nextInt(4) == 0) {
        next = follow(source, follower, next);
        assertSame(source, follower, "seed=" + seed + ", step=" + step);
      }
    }
  }

  private static KvCacheEventData change(Random random) {
    long hash = 1L + random.nextInt(6);
    return switch (random.nextInt(8)) {
      case 0 -> KvCacheEventData.Cleared.instance();
      case 1, 2 -> KvCacheEventData.Removed.of(new long[] {10 * hash + 9, hash});
      case 3, 4, 5 -> store(hash, 10 * hash);
      default -> under(10 * hash, 10 * hash + 9);
    };
  }

  private static long follow(LocalKvIndexer source, RadixTree follower, long next) {
    RecoveryQuery query =
        next == 0 ? RecoveryQuery.ofEverything(RANK) : RecoveryQuery.startingAt(RANK, next);
    RecoveryResponse response = RecoveryResponseCodec.decode(source.answer(query.encode()));
    if (response instanceof RecoveryResponse.TreeDump dump) {
      follower.removeWorkerDpRank(RANK);
      dump.events().events().forEach(follower::apply);
      return dump.lastEventId() + 1;
    }
    if (response instanceof RecoveryResponse.Events events) {
      events.events().events().forEach(follower::apply);
      return events.lastEventId() + 1;
    }
    return next;
  }

  private static void assertSame(LocalKvIndexer source, RadixTree follower, String where) {
    RadixTree truth = RadixTree.create(2);
    RecoveryResponse.TreeDump dump = (RecoveryResponse.TreeDump) ask(source, "");
    dump.events().events().forEach(truth::apply);
    OverlapScores expected = OverlapScores.create();
    OverlapScores actual = OverlapScores.create();
    for (long hash = 1; hash < 7; hash++) {
      long[] query = {hash, 10 * hash, 10 * hash + 9};
      truth.findMatches(query, 3, expected);
      follower.findMatches(query, 3, actual);
      assertThat(actual.depthOf(RANK)).as(where).isEqualTo(expected.depthOf(RANK));
    }
  }
}
