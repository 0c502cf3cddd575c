// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import static io.dynamo4j.indexer.RecoveryFixture.remove;
import static io.dynamo4j.indexer.RecoveryFixture.store;
import static io.dynamo4j.indexer.RecoveryFixture.under;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.SourceStatus.State;
import io.dynamo4j.indexer.source.LocalKvIndexer;
import io.dynamo4j.wire.RecoveryQuery;
import io.dynamo4j.wire.RecoveryResponse;
import io.dynamo4j.wire.RecoveryResponseCodec;
import io.dynamo4j.wire.RouterEventBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A rank's whole state that is too much for one message. */
class KvFeedPartsTest {
  private static final WorkerWithDpRank W1 = WorkerWithDpRank.of(1);

  private RecoveryFixture fixture = new RecoveryFixture();

  private RecoveryFixture.Worker worker(int partBlocks) {
    return fixture.new Worker(1, partBlocks);
  }

  @Test
  void shouldRestoreFromAllPartsInTheirOrder() {
    RecoveryFixture.Worker worker = worker(3).serve();
    worker.record(store(5, 6), under(6, 7, 8), store(20), under(8, 9), remove(9), under(8, 10));
    worker.sequence = 6;
    worker.register();
    fixture.settle();

    assertThat(worker.itemsAnswered).isGreaterThan(1);
    assertThat(fixture.count(FeedCounter.RESTORES)).isEqualTo(1);
    assertThat(fixture.count(FeedCounter.FAILED_QUERIES)).isZero();
    assertThat(fixture.indexer.status().blocks()).isEqualTo(worker.local.blockCount());
    assertThat(fixture.scores(5, 6, 7, 8, 10)).isEqualTo(Map.of(W1, 5));
    assertThat(fixture.scores(5, 6, 7, 8, 9)).isEqualTo(Map.of(W1, 4));
    assertThat(fixture.source(W1).state()).isEqualTo(State.EXACT);

    worker.publish(under(10, 11));
    fixture.settle();
    assertThat(fixture.scores(5, 6, 7, 8, 10, 11)).isEqualTo(Map.of(W1, 6));
  }

  /** What goes through where one message would be beyond the limit of the plane. */
  @Test
  void shouldRestoreWhatIsTooLargeForOneMessage() {
    LocalKvIndexer local = LocalKvIndexer.builder(W1).partBlocks(8).maxAnswerBytes(2_000).build();
    for (long i = 0; i < 100; i++) {
      local.record(StorageTier.DEVICE, store(1_000 + i));
    }
    List<byte[]> whole = new ArrayList<>();
    local.answer(RecoveryQuery.ofEverything(W1).encode(), whole::add);
    assertThat(whole).hasSize(1);
    assertThat(RecoveryResponseCodec.decode(whole.get(0)))
        .isInstanceOf(RecoveryResponse.TreeDumpFailed.class);
    List<byte[]> parts = new ArrayList<>();
    local.answer(RecoveryQuery.ofEverything(W1).inParts().encode(), parts::add);
    assertThat(parts).hasSizeGreaterThan(10).allMatch(part -> part.length <= 2_000);

    assertThat(AnswerParts.join(parts))
        .isInstanceOfSatisfying(
            RecoveryResponse.TreeDump.class,
            dump -> {
              assertThat(dump.lastEventId()).isEqualTo(100);
              assertThat(dump.events().events()).hasSize(100);
            });
  }

  private static byte[] events(long lastEventId, RouterEvent... events) {
    return RecoveryResponseCodec.encode(
        new RecoveryResponse.Events(RouterEventBatch.of(List.of(events)), lastEventId));
  }

  private static byte[] dump(long lastEventId, int parts) {
    return RecoveryResponseCodec.encode(
        new RecoveryResponse.TreeDump(RouterEventBatch.of(List.of()), lastEventId, parts));
  }

  private static byte[] failed() {
    return RecoveryResponseCodec.encode(new RecoveryResponse.TreeDumpFailed(7, "out of memory"));
  }

  @Test
  void shouldFailTheAttemptWhenPartsDoNotBelongTogether() {
    assertThat(join(events(1), events(1))).contains("more than one answer");
    assertThat(join(dump(7, 2), events(8))).contains("do not belong together");
    assertThat(join(dump(7, 2), dump(7, 1))).contains("do not belong together");
    assertThat(join(dump(7, 3), events(7), failed())).contains("out of memory");
    assertThat(join(dump(7, 2))).contains("parts are missing: items=1, parts=2");
    assertThat(join(dump(7, 1), events(7))).contains("parts are missing: items=2, parts=1");
    assertThat(AnswerParts.join(List.of(dump(7, 2), events(7))))
        .isInstanceOf(RecoveryResponse.TreeDump.class);
    assertThat(AnswerParts.join(List.of(dump(7, 1)))).isInstanceOf(RecoveryResponse.TreeDump.class);
  }

  private static String join(byte[]... items) {
    RecoveryResponse answer = AnswerParts.join(List.of(items));
    assertThat(answer)
        .isInstanceOfAny(RecoveryResponse.Failed.class, RecoveryResponse.TreeDumpFailed.class);
    return answer.toString();
  }

  /** What a source says of its failure may forge no line of a log. */
  @Test
  void shouldKeepOfTheTextOfARefusalWhatIsFitForALog() {
    fixture =
        new RecoveryFixture(
            RecoveryConfig.builder().maxAttempts(1).build(),
            KvIndexerBuilder.DEFAULT_MAX_PENDING_UPDATES);
    RecoveryFixture.Worker worker = worker(8);
    String text = "no\r\n12:00 INFO all is well\u001b[2J" + "x".repeat(1_000);
    fixture.requests.serve(
        RecoveryTargets.besideWorker(worker.instance, worker.rank),
        (requestId, query, sink) -> {
          sink.next(RecoveryResponseCodec.encode(new RecoveryResponse.Failed(text)));
          sink.complete();
        });
    worker.register();
    fixture.settle();

    String failure = Objects.requireNonNull(fixture.source(W1).lastFailure());
    assertThat(failure).contains("all is well").hasSizeLessThanOrEqualTo(200);
    assertThat(failure.chars().filter(Character::isISOControl)).isEmpty();
  }

  /** A source that never ends is given up, however small what it sends. */
  @Test
  void shouldRefuseAnAnswerThatDoesNotEnd() {
    fixture =
        new RecoveryFixture(
            RecoveryConfig.builder().maxAnswerBytes(10_000).maxAttempts(1).build(),
            KvIndexerBuilder.DEFAULT_MAX_PENDING_UPDATES);
    RecoveryFixture.Worker worker = worker(8);
    int[] sent = {0};
    fixture.requests.serve(
        RecoveryTargets.besideWorker(worker.instance, worker.rank),
        (requestId, query, sink) -> {
          for (int i = 0; i < 5_000; i++) {
            sink.next(new byte[0]);
            sent[0]++;
          }
          sink.complete();
        });
    worker.register();
    fixture.settle();

    assertThat(sent[0]).isEqualTo(5_000);
    assertThat(fixture.source(W1).lastFailure()).contains("answer is too long");
    assertThat(fixture.indexer.isStale(W1)).isTrue();
    assertThat(fixture.feed.progress().failed()).isEqualTo(1);
  }
}
