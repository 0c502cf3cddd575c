// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class EngineMessageTest {
  private static final byte[] EMPTY = {};
  private static final byte[] PAYLOAD = {1, 2};
  private static final byte[] SEQUENCE = {0, 0, 0, 0, 0, 0, 1, (byte) 0xff};
  private static final byte[] LAST = {-1, -1, -1, -1, -1, -1, -1, -1};

  @Test
  void shouldReadAPublishedMessageOfAnyTopic() {
    EngineMessage message = EngineMessage.ofPublished(List.of(PAYLOAD, SEQUENCE, PAYLOAD));
    assertThat(message.sequence()).isEqualTo(511);
    assertThat(message.payload()).isEqualTo(PAYLOAD);
  }

  @Test
  void shouldReadRepliesWithAndWithoutATopic() {
    assertThat(EngineMessage.ofReplayed(List.of(EMPTY, SEQUENCE, PAYLOAD)).sequence())
        .isEqualTo(511);
    assertThat(EngineMessage.ofReplayed(List.of(EMPTY, PAYLOAD, SEQUENCE, PAYLOAD)).payload())
        .isEqualTo(PAYLOAD);
  }

  @Test
  void shouldEndAReplayByTheEmptyPayloadAlone() {
    assertThat(EngineMessage.ofReplayed(List.of(EMPTY, SEQUENCE, EMPTY)).isEndOfReplay()).isTrue();
    assertThat(EngineMessage.ofReplayed(List.of(EMPTY, LAST, PAYLOAD)).isEndOfReplay()).isFalse();
  }

  @Test
  void shouldRefuseOtherNumbersOfFramesAndLengthsOfSequences() {
    assertThatThrownBy(() -> EngineMessage.ofPublished(List.of(EMPTY, PAYLOAD)))
        .hasMessageContaining("published frames 2");
    assertThatThrownBy(() -> EngineMessage.ofPublished(List.of(EMPTY, SEQUENCE, PAYLOAD, PAYLOAD)))
        .hasMessageContaining("published frames 4");
    assertThatThrownBy(() -> EngineMessage.ofPublished(List.of(EMPTY, PAYLOAD, PAYLOAD)))
        .hasMessageContaining("sequence bytes 2");
    assertThatThrownBy(() -> EngineMessage.ofReplayed(List.of(EMPTY, SEQUENCE)))
        .hasMessageContaining("replayed frames 2");
  }
}
