// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class PulledEngineEventTest {

  @Test
  void shouldMakeEachDictionaryABatch() {
    List<PulledEngineEvent> events =
        read(
            """
            [{"event_id": 0, "data": {"type": "created", "num_blocks_per_cache_level": [8, 0]},
              "window_size": 128},
             {"event_id": 1, "attention_dp_rank": 3,
              "data": {"type": "stored", "parent_hash": null,
                       "blocks": [{"block_hash": 18446744073709551615,
                                   "tokens": [{"token_id": 5, "token_extra_id": 0}],
                                   "mm_keys": []}]}},
             {"data": {"type": "removed", "block_hashes": [7]}}]
            """);
    assertThat(events).hasSize(3);
    assertThat(events.get(0).eventId()).isZero();
    assertThat(events.get(1).dpRank()).isEqualTo(3);
    assertThat(events.get(2).hasId()).isFalse();

    EngineEvent window = only(events.get(0));
    assertThat(window.kind()).isEqualTo(EngineEvent.Kind.WINDOW);
    assertThat(window.window()).isEqualTo(128);
    EngineEvent stored = only(events.get(1));
    assertThat(stored.kind()).isEqualTo(EngineEvent.Kind.STORED);
    assertThat(stored.hashes()[0]).isEqualTo(-1);
    assertThat(stored.dpRank()).isEqualTo(3);
    assertThat(only(events.get(2)).kind()).isEqualTo(EngineEvent.Kind.REMOVED);
  }

  @Test
  void shouldTakeOneDictionaryWithoutAList() {
    assertThat(read("{\"event_id\": 9, \"data\": {\"type\": \"updated\"}}"))
        .singleElement()
        .satisfies(event -> assertThat(event.eventId()).isEqualTo(9));
    assertThat(read("[]")).isEmpty();
  }

  @Test
  void shouldHandOnWhatIsNoDictionary() {
    PulledEngineEvent event = read("[5]").get(0);
    EngineBatchReader reader = EngineBatchReader.create();
    reader.open(event.batch());
    assertThat(reader.next()).isTrue();
    assertThat(reader.fault()).isEqualTo(EngineFault.NOT_AN_EVENT);
  }

  @Test
  void shouldRefuseWhatIsNoJson() {
    assertThatThrownBy(() -> read("[{]")).isInstanceOf(WireFormatException.class);
  }

  private static EngineEvent only(PulledEngineEvent event) {
    EngineBatchReader reader = EngineBatchReader.create();
    reader.open(event.batch());
    assertThat(reader.remaining()).isEqualTo(1);
    assertThat(reader.next()).isTrue();
    assertThat(reader.fault()).isNull();
    return reader.event();
  }

  private static List<PulledEngineEvent> read(String json) {
    return PulledEngineEvent.read(json.getBytes(StandardCharsets.UTF_8));
  }
}
