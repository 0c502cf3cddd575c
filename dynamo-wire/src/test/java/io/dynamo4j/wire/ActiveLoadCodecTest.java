// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ActiveLoadCodecTest {
  private static final HexFormat HEX = HexFormat.of();

  private static final String SCHEDULER =
      "85a9776f726b65725f696407a764705f72616e6b00b46163746976655f6465636f64655f626c6f636b730c"
          + "b56163746976655f70726566696c6c5f746f6b656e73cd0280ae6b765f757365645f626c6f636b73c0";

  @Test
  void shouldReadAndWriteWhatASchedulerTells() {
    ActiveLoad load = new ActiveLoad(WorkerWithDpRank.of(7), 12, 640, ActiveLoad.UNKNOWN);

    assertThat(ActiveLoadCodec.decode(HEX.parseHex(SCHEDULER))).isEqualTo(load);
    assertThat(HEX.formatHex(ActiveLoadCodec.encode(load))).isEqualTo(SCHEDULER);
  }

  @ParameterizedTest
  @CsvSource({"-1,-1,0", "0,0,0", "1,2,9223372036854775807", "4294967296,-1,65536"})
  void shouldComeBackAsWritten(long blocks, long tokens, long used) {
    ActiveLoad load = new ActiveLoad(new WorkerWithDpRank(-1, 3), blocks, tokens, used);

    assertThat(ActiveLoadCodec.decode(ActiveLoadCodec.encode(load))).isEqualTo(load);
  }

  @Test
  void shouldReadAnyOrderUnknownKeysAndNoRank() {
    byte[] payload =
        MsgpackWriter.ofExpectedSize(64)
            .map(3)
            .string("kv_used_blocks")
            .unsigned(5)
            .string("later_release")
            .array(1)
            .nil()
            .string("worker_id")
            .unsigned(9)
            .toByteArray();

    assertThat(ActiveLoadCodec.decode(payload))
        .isEqualTo(new ActiveLoad(WorkerWithDpRank.of(9), -1, -1, 5));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "90", "80", "81a9776f726b65725f6964c0", "81a9776f726b65725f69640100"})
  void shouldRefuseWhatIsNoLoad(String hex) {
    assertThatThrownBy(() -> ActiveLoadCodec.decode(HEX.parseHex(hex)))
        .isInstanceOf(WireFormatException.class);
  }

  @Test
  void shouldRefuseAFigureBeyondRange() {
    byte[] payload =
        MsgpackWriter.ofExpectedSize(64)
            .map(2)
            .string("worker_id")
            .unsigned(1)
            .string("kv_used_blocks")
            .wide(-1)
            .toByteArray();

    assertThatThrownBy(() -> ActiveLoadCodec.decode(payload))
        .isInstanceOf(WireFormatException.class);
    assertThatThrownBy(() -> new ActiveLoad(WorkerWithDpRank.of(1), -2, 0, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("activeDecodeBlocks=-2");
  }
}
