// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.testing.Mutations;
import io.dynamo4j.plane.EventEnvelope;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/**
 * Right bytes with a few wrong ones among them, on every decoder of events, bookings, recovery and
 * served indexes.
 */
class EventDecodersFuzzTest {
  private static final int MUTATIONS = Mutations.count(3_000);
  private static final WorkerWithDpRank RANK = new WorkerWithDpRank(-1, 3);

  /** Reads bytes; its only fault is {@link WireFormatException}. */
  private interface Decoder {
    Object decode(byte[] bytes);
  }

  /** A decoder and bytes that it takes. */
  private static final class Target {
    private final byte[] right;
    private final Decoder decoder;

    Target(byte[] right, Decoder decoder) {
      this.right = right;
      this.decoder = decoder;
    }
  }

  private static List<Target> targets() {
    RouterEvent stored =
        RouterEvent.of(
            7,
            StorageTier.DEVICE,
            KvCacheEvent.of(
                1, 0, KvCacheEventData.Stored.under(-9, new long[] {1, -2}, new long[] {3, -4})));
    RouterEvent removed =
        RouterEvent.of(
            -7,
            StorageTier.DISK,
            KvCacheEvent.of(2, 1, KvCacheEventData.Removed.of(new long[] {1, -2})));
    byte[] events = RouterEventCodec.encode(List.of(stored, removed));
    ActiveSequenceEvent add =
        ActiveSequenceEvent.add(
            "r1",
            RANK,
            AddedSequence.of(new long[] {1, -2}, true, 128, 48, 1_500_000_000L),
            42,
            "l");
    ActiveSequenceEvent free = ActiveSequenceEvent.free("r1", RANK, 42, null);
    Map<StorageTier, Map<WorkerWithDpRank, Integer>> tiers = new LinkedHashMap<>();
    tiers.put(StorageTier.DEVICE, Map.of(RANK, 5));
    tiers.put(StorageTier.DISK, Map.of(RANK, 2));

    List<Target> targets = new ArrayList<>();
    targets.add(new Target(events, RouterEventCodec::decode));
    targets.add(
        new Target(
            EventEnvelopeCodec.encode(
                EventEnvelope.of(-5, 3, 1_700_000_000_000L, "kv-events", events)),
            EventEnvelopeCodec::decode));
    targets.add(new Target(ActiveSequenceCodec.encode(add), ActiveSequenceCodec::decode));
    targets.add(
        new Target(
            ActiveSequenceCodec.encodeBatch(List.of(add, free)), ActiveSequenceCodec::decode));
    targets.add(
        new Target(
            RouterLeaseCodec.encode(new RouterLeaseMessage.Lease(1, 2, 3, -4, 5, 6)),
            RouterLeaseCodec::decode));
    targets.add(
        new Target(
            RouterLeaseCodec.encode(new RouterLeaseMessage.SnapshotRequest(1, 2, true)),
            RouterLeaseCodec::decode));
    targets.add(
        new Target(
            RouterLeaseCodec.encode(
                new RouterLeaseMessage.Snapshot(1, 2, 3, 0, 2, List.of(add, add))),
            RouterLeaseCodec::decode));
    targets.add(
        new Target(
            RecoveryResponseCodec.encode(
                new RecoveryResponse.TreeDump(RouterEventBatch.of(List.of(stored, removed)), 9)),
            RecoveryResponseCodec::decode));
    targets.add(
        new Target(
            RecoveryResponseCodec.encode(
                new RecoveryResponse.Events(RouterEventBatch.of(List.of(stored)), 9)),
            RecoveryResponseCodec::decode));
    targets.add(
        new Target(
            RecoveryResponseCodec.encode(
                new RecoveryResponse.TooNew(OptionalLong.of(5), OptionalLong.empty(), 3)),
            RecoveryResponseCodec::decode));
    targets.add(
        new Target(
            RecoveryResponseCodec.encode(new RecoveryResponse.Failed("no")),
            RecoveryResponseCodec::decode));
    targets.add(
        new Target(IndexQuery.of("m", new long[] {1, -2}, true).encode(), IndexQuery::decode));
    targets.add(new Target(IndexAnswer.of(tiers).encode(), IndexAnswer::decode));
    targets.add(
        new Target(
            IndexDecision.of("m", RANK, new long[] {1, -2}, new long[] {3, -4}).encode(),
            IndexDecision::decode));
    targets.add(
        new Target(new SourceHead(RANK, -9, 4, OptionalLong.of(77)).encode(), SourceHead::decode));
    targets.add(
        new Target(
            ProofAnswer.of(-7, 1L << 63, new long[] {1, 1, 2, 3}).encode(), ProofAnswer::decode));
    return targets;
  }

  @Test
  void shouldTakeOrRefuseEveryMutationByType() {
    List<Target> targets = targets();
    for (int number = 0; number < targets.size(); number++) {
      Target target = targets.get(number);
      String name = "decoder " + number;
      assertThatCode(() -> target.decoder.decode(target.right)).as(name).doesNotThrowAnyException();
      Mutations mutations = Mutations.seeded(number);
      int refused = 0;
      for (int i = 0; i < MUTATIONS; i++) {
        byte[] mutated = mutations.of(target.right, target.right);
        try {
          target.decoder.decode(mutated);
        } catch (WireFormatException typed) {
          refused++;
        } catch (RuntimeException | Error other) {
          throw new AssertionError(name + ": " + HexFormat.of().formatHex(mutated), other);
        }
      }
      assertThat(refused).as(name).isBetween(1, MUTATIONS);
    }
  }
}
