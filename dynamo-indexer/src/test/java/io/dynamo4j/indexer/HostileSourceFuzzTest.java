// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.wire.RouterEventBatch;
import io.dynamo4j.wire.RouterEventCodec;
import io.dynamo4j.wire.SourceHead;
import io.dynamo4j.wire.WireFormatException;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/**
 * A registered worker that lies about everything, and publishers that nobody registered, beside one
 * honest worker. The property {@code dynamo4j.fuzz} sets how many events are forged.
 */
class HostileSourceFuzzTest {
  private static final int EVENTS = Integer.getInteger("dynamo4j.fuzz", 20_000);
  private static final long SEED = 20_261_130;
  private static final WorkerWithDpRank HONEST = WorkerWithDpRank.of(1);
  private static final WorkerWithDpRank HOSTILE = WorkerWithDpRank.of(2);
  private static final List<StorageTier> TIERS = List.of(StorageTier.values());
  private static final int MAX_BLOCKS_PER_RANK = 100;
  private static final int EVENTS_A_TURN = 50;
  private static final long[] EXTREMES = {0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 32};

  private final RandomSource random = RandomSource.seeded(SEED);
  private final RecoveryFixture fixture =
      new RecoveryFixture(RecoveryConfig.ofDefaults(), 1 << 16, MAX_BLOCKS_PER_RANK);
  private final RecoveryFixture.Worker honest = fixture.worker(1).serve().register();
  private final RecoveryFixture.Worker hostile = fixture.worker(2);
  private final long[] sequences = new long[8];
  private final Map<FeedCounter, Long> expected = new EnumMap<>(FeedCounter.class);
  private int forged;
  private int turns;

  @Test
  void shouldKeepTheViewOfAnHonestWorkerAndCountEveryForgery() {
    fixture.settle();
    // A rank is written by the first that it is heard from.
    honest.publish(RecoveryFixture.store(1));
    hostile.served(this::lie).register();
    speakAsHostile();
    fixture.settle();
    while (forged < EVENTS) {
      for (int i = 0; i < EVENTS_A_TURN; i++) {
        forge();
      }
      liveHonestly();
      fixture.runMillis(20);
      if (turns++ % 20 == 0) {
        assertHonestViewIsExact();
      }
    }
    // Whatever is held is decided about while both workers are heard now and then.
    for (int second = 0; second < 20; second++) {
      honest.publish(RecoveryFixture.store(second), RecoveryFixture.clear());
      speakAsHostile();
      fixture.runMillis(1_000);
    }
    assertHonestViewIsExact();
    assertEveryForgeryIsCounted();
    fixture.directory.unregister(2);
    fixture.settle();
    assertThat(fixture.indexer.status().blocks()).isEqualTo(honest.local.blockCount());
  }

  private void assertHonestViewIsExact() {
    long[] held =
        fixture
            .simulation
            .await(fixture.indexer.heldHashes(HONEST))
            .orElseThrow(() -> new AssertionError("index cannot tell"));
    assertThat(HeldDigest.of(held).total()).isEqualTo(honest.local.digest().total());
    assertThat(held).hasSize((int) honest.local.blockCount());
    assertThat(fixture.source(HONEST).state()).isEqualTo(SourceStatus.State.EXACT);
    assertThat(fixture.indexer.status().blocks() + fixture.indexer.status().lowerTierBlocks())
        .isLessThanOrEqualTo(honest.local.blockCount() + 2 * MAX_BLOCKS_PER_RANK);
    assertThat(fixture.indexer.status().events(EventOutcome.QUEUE_FULL)).isZero();
  }

  private void assertEveryForgeryIsCounted() {
    assertThat(fixture.feed.status().heldEvents()).isZero();
    assertThat(fixture.count(FeedCounter.TAKEOVERS)).isZero();
    // Every honest turn is one envelope more.
    expect(FeedCounter.ENVELOPES, honest.sequence);
    expected.forEach(
        (counter, count) ->
            assertThat(fixture.count(counter)).as("%s", counter).isEqualTo(count).isPositive());
    assertThat(fixture.count(FeedCounter.FAILED_QUERIES)).isPositive();
    long outcomes =
        Arrays.stream(EventOutcome.values()).mapToLong(fixture.indexer.status()::events).sum();
    assertThat(outcomes).isEqualTo(fixture.count(FeedCounter.SUBMITTED_EVENTS));
    assertThat(fixture.indexer.status().events(EventOutcome.OUT_OF_CAPACITY)).isPositive();
  }

  /* --------------- The honest one --------------- */

  private void liveHonestly() {
    long root = 1L + random.nextInt(8);
    if (honest.local.blockCount() > MAX_BLOCKS_PER_RANK / 2) {
      honest.publish(RecoveryFixture.clear());
    } else if (random.nextInt(4) == 0) {
      honest.publish(RecoveryFixture.remove(root));
    } else {
      honest.publish(
          RecoveryFixture.store(root), RecoveryFixture.under(root, 10 + random.nextInt(30)));
    }
  }

  /* --------------- The others --------------- */

  private void speakAsHostile() {
    KvCacheEvent own = KvCacheEvent.of(number(), 0, data());
    fixture.plane.deliver(
        hostile.publisherId, sequences[0]++, RouterEvent.of(2, StorageTier.DEVICE, own));
    expect(FeedCounter.ENVELOPES, 1);
  }

  private void forge() {
    int publisher = random.nextInt(sequences.length);
    long publisherId = publisher == 0 ? hostile.publisherId : 900 + publisher;
    if (random.nextInt(20) == 0) {
      forgeHead(publisherId);
      return;
    }
    byte[] payload = RouterEventCodec.encode(List.of(event(publisher == 0), event(publisher == 0)));
    if (random.nextInt(4) == 0) {
      damage(payload);
    }
    expect(FeedCounter.ENVELOPES, 1);
    long sequence = sequences[publisher]++;
    fixture.plane.deliver(publisherId, sequence, payload);
    expect(payload, publisher == 0);
    if (random.nextInt(10) == 0) {
      fixture.plane.deliver(publisherId, sequence, payload);
      expect(FeedCounter.ENVELOPES, 1);
      expect(FeedCounter.REPEATED_ENVELOPES, 1);
    }
    if (random.nextInt(50) == 0) {
      sequences[publisher] += random.nextInt(5_000);
    }
  }

  private void forgeHead(long publisherId) {
    WorkerWithDpRank rank = random.nextInt(2) == 0 ? HONEST : HOSTILE;
    SourceHead head = new SourceHead(rank, number(), number(), OptionalLong.of(number()));
    fixture.plane.deliver(KvEventFeed.HEADS_TOPIC, publisherId, 0, head.encode());
    forged++;
  }

  private RouterEvent event(boolean isOwn) {
    long workerId = 1L + random.nextInt(3);
    int dpRank = random.nextInt(8) == 0 ? 1 + random.nextInt(3) : 0;
    if (isOwn && random.nextInt(2) == 0) {
      workerId = HOSTILE.workerId();
    }
    StorageTier tier = TIERS.get(random.nextInt(TIERS.size()));
    return RouterEvent.of(workerId, tier, KvCacheEvent.of(number(), dpRank, data()));
  }

  private long number() {
    return random.nextInt(4) == 0 ? EXTREMES[random.nextInt(EXTREMES.length)] : random.nextInt(40);
  }

  private KvCacheEventData data() {
    long[] hashes = new long[random.nextInt(12)];
    Arrays.setAll(hashes, i -> number());
    return switch (random.nextInt(6)) {
      case 0 -> RecoveryFixture.clear();
      case 1 -> RecoveryFixture.remove(hashes);
      case 2, 3 -> RecoveryFixture.under(number(), hashes);
      default -> RecoveryFixture.store(hashes);
    };
  }

  private void damage(byte[] payload) {
    for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
      payload[random.nextInt(payload.length)] = (byte) random.nextInt(256);
    }
  }

  /** Notes what must be counted for an envelope that has not come before. */
  private void expect(byte[] payload, boolean isOwn) {
    RouterEventBatch batch;
    try {
      batch = RouterEventCodec.decode(payload);
    } catch (WireFormatException e) {
      expect(FeedCounter.UNREADABLE_ENVELOPES, 1);
      forged++;
      return;
    }
    forged += batch.events().size() + batch.rejected();
    for (RouterEvent event : batch.events()) {
      boolean isRegistered =
          event.workerId() == HONEST.workerId() || event.workerId() == HOSTILE.workerId();
      if (!isRegistered) {
        expect(FeedCounter.UNREGISTERED_EVENTS, 1);
      } else if (event.worker().dpRank() != 0) {
        expect(FeedCounter.UNDECLARED_RANK_EVENTS, 1);
      } else if (!isOwn || event.workerId() == HONEST.workerId()) {
        expect(FeedCounter.CONFLICTING_EVENTS, 1);
      }
    }
  }

  private void expect(FeedCounter counter, long more) {
    expected.merge(counter, more, Long::sum);
  }

  /** Answers a recovery query with whatever comes to mind. */
  private byte[] lie(byte[] query) {
    byte[] answer =
        switch (random.nextInt(3)) {
          case 0 -> honest.local.answer(query);
          case 1 -> hostile.local.answer(query);
          default -> RouterEventCodec.encode(List.of(event(true)));
        };
    if (random.nextInt(2) == 0) {
      damage(answer);
    }
    return answer;
  }
}
