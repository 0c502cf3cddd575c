// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SourceHeadTest {
  private static final SourceHead HEAD =
      new SourceHead(new WorkerWithDpRank(-1, 3), -7, 1L << 40, OptionalLong.of(-9));

  @Test
  void shouldReadWhatWasWritten() {
    assertThat(SourceHead.decode(HEAD.encode())).isEqualTo(HEAD);
  }

  @Test
  void shouldIgnoreUnknownKeys() {
    byte[] json =
        "{\"worker_id\":5,\"new\":[1,{}],\"dp_rank\":0,\"last_event_id\":9,\"blocks\":2}"
            .getBytes(StandardCharsets.UTF_8);
    assertThat(SourceHead.decode(JsonValues.toMsgpack(json)))
        .isEqualTo(new SourceHead(WorkerWithDpRank.of(5), 9, 2, OptionalLong.empty()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[]",
        "{}",
        "{\"worker_id\":5,\"dp_rank\":0,\"blocks\":2}",
        "{\"worker_id\":5,\"dp_rank\":0,\"last_event_id\":\"9\",\"blocks\":2}"
      })
  void shouldRefuseAHeadThatLacksSomething(String json) {
    byte[] bytes = JsonValues.toMsgpack(json.getBytes(StandardCharsets.UTF_8));
    assertThatThrownBy(() -> SourceHead.decode(bytes)).isInstanceOf(WireFormatException.class);
  }

  @Test
  void shouldRefuseBytesCutOffOrLeftOver() {
    byte[] whole = HEAD.encode();
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> SourceHead.decode(cut)).isInstanceOf(WireFormatException.class);
    }
    assertThatThrownBy(() -> SourceHead.decode(Arrays.copyOf(whole, whole.length + 1)))
        .isInstanceOf(WireFormatException.class);
  }
}
