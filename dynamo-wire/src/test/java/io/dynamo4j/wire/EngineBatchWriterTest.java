// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class EngineBatchWriterTest {

  @Test
  void shouldBeReadAsWritten() {
    byte[] batch =
        EngineBatchWriter.create(1_700_000_000.25)
            .storedRoot(new long[] {-1, 2}, new int[] {1, 2, -3, 4}, 2)
            .medium("CPU")
            .loraName("adapter")
            .cacheSalt("tenant")
            .storedBehind(2, new long[] {3}, new int[] {5, 6}, 2)
            .removed(-1, 2)
            .cleared()
            .toBytes(7);
    EngineBatchReader reader = EngineBatchReader.create();
    reader.open(batch);
    assertThat(reader.hasRank()).isTrue();
    assertThat(reader.dpRank()).isEqualTo(7);
    assertThat(reader.remaining()).isEqualTo(4);

    EngineEvent event = next(reader);
    assertThat(event.kind()).isEqualTo(EngineEvent.Kind.STORED);
    assertThat(event.hasParent()).isFalse();
    assertThat(Arrays.copyOf(event.hashes(), event.hashCount())).containsExactly(-1, 2);
    assertThat(Arrays.copyOf(event.tokens(), event.tokenCount())).containsExactly(1, 2, -3, 4);
    assertThat(event.blockSize()).isEqualTo(2);
    assertThat(event.medium()).isEqualTo("GPU");
    assertThat(event.loraName()).isNull();
    assertThat(event.salt()).isNull();

    event = next(reader);
    assertThat(event.parentHash()).isEqualTo(2);
    assertThat(event.medium()).isEqualTo("CPU");
    assertThat(event.loraName()).isEqualTo("adapter");
    assertThat(event.salt()).isEqualTo("tenant");

    event = next(reader);
    assertThat(event.kind()).isEqualTo(EngineEvent.Kind.REMOVED);
    assertThat(Arrays.copyOf(event.hashes(), event.hashCount())).containsExactly(-1, 2);
    assertThat(next(reader).kind()).isEqualTo(EngineEvent.Kind.CLEARED);
    assertThat(reader.next()).isFalse();
  }

  private static EngineEvent next(EngineBatchReader reader) {
    assertThat(reader.next()).isTrue();
    assertThat(reader.fault()).isNull();
    return reader.event();
  }
}
