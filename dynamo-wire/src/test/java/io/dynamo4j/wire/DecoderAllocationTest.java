// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.testing.AllocationMeter;
import java.util.List;
import org.junit.jupiter.api.Test;

class DecoderAllocationTest {
  private final AllocationMeter meter = AllocationMeter.create();

  @Test
  void shouldAllocateSixteenBytesForABlockOfARoutersEvent() {
    double few = bytesPerPayload(16);
    double many = bytesPerPayload(16 + 256);
    assertThat((many - few) / 256).isBetween(15.0, 16.0);
    assertThat(few).isLessThan(1_500);
  }

  private double bytesPerPayload(int blocks) {
    long[] hashes = new long[blocks];
    for (int i = 0; i < blocks; i++) {
      hashes[i] = i * 0x9e3779b97f4a7c15L;
    }
    KvCacheEventData data = KvCacheEventData.Stored.atRoot(hashes, hashes.clone());
    byte[] payload =
        RouterEventCodec.encode(
            List.of(RouterEvent.of(1, StorageTier.DEVICE, KvCacheEvent.of(1, 0, data))));
    return meter.bytesPerRun(() -> RouterEventCodec.decode(payload));
  }
}
