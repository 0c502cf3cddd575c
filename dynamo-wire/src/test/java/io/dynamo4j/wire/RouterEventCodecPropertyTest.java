// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.runtime.RandomSource;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

class RouterEventCodecPropertyTest {
  private static final List<StorageTier> TIERS = List.of(StorageTier.values());

  @Property(tries = 2_000)
  void shouldThrowNothingButItsOwnErrorOnRandomBytes(@ForAll byte[] bytes) {
    decodeOrRefuse(bytes);
  }

  @Property(tries = 2_000)
  void shouldThrowNothingButItsOwnErrorOnDamagedPayloads(@ForAll long seed) {
    RandomSource random = RandomSource.seeded(seed);
    byte[] bytes = RouterEventCodec.encode(List.of(randomEvent(random), randomEvent(random)));
    for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
    }
    decodeOrRefuse(bytes);
  }

  @Property(tries = 500)
  void shouldWriteWhatAnotherReaderUnderstands(@ForAll long seed) throws IOException {
    RouterEvent event = randomEvent(RandomSource.seeded(seed));
    byte[] bytes = RouterEventCodec.encode(List.of(event));

    try (MessageUnpacker other = MessagePack.newDefaultUnpacker(bytes)) {
      Map<Value, Value> map = other.unpackValue().asArrayValue().get(0).asMapValue().map();
      Value workerId = map.getOrDefault(ValueFactory.newString("worker_id"), ValueFactory.newNil());
      assertThat(workerId.asIntegerValue().asBigInteger().longValue()).isEqualTo(event.workerId());
      assertThat(other.hasNext()).isFalse();
    }
    RouterEvent back = RouterEventCodec.decode(bytes).events().get(0);
    assertThat(RouterEventCodec.encode(List.of(back))).isEqualTo(bytes);
  }

  private static void decodeOrRefuse(byte[] bytes) {
    try {
      RouterEventBatch batch = RouterEventCodec.decode(bytes);
      assertThat(batch.events().size() + batch.rejected()).isGreaterThanOrEqualTo(0);
    } catch (WireFormatException e) {
      assertThat(e.reason()).isNotNull();
    }
  }

  private static RouterEvent randomEvent(RandomSource random) {
    long[] hashes = new long[random.nextInt(20)];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = random.nextLong() >>> random.nextInt(64);
    }
    KvCacheEventData data =
        switch (random.nextInt(4)) {
          case 0 -> KvCacheEventData.Cleared.instance();
          case 1 -> KvCacheEventData.Removed.of(hashes);
          case 2 -> KvCacheEventData.Stored.atRoot(hashes, hashes.clone());
          default -> KvCacheEventData.Stored.under(random.nextLong(), hashes, hashes.clone());
        };
    StorageTier tier = TIERS.get(random.nextInt(TIERS.size()));
    int rank = (int) (random.nextLong() >>> 32);
    return RouterEvent.of(random.nextLong(), tier, KvCacheEvent.of(random.nextLong(), rank, data));
  }
}
