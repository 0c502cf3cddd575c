// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ProofCodecTest {
  private static final WorkerWithDpRank RANK = new WorkerWithDpRank(-1, 3);

  @Test
  void shouldReadTheQueryThatWasWritten() {
    byte[] query = ProofQuery.of(RANK, new long[] {1, -2}).encode();
    ProofQuery read = Objects.requireNonNull(ProofQuery.tryDecode(query));
    assertThat(read.worker()).isEqualTo(RANK);
    assertThat(read.digests()).containsExactly(1, -2);
  }

  @Test
  void shouldLeaveOtherQueriesToOthers() {
    assertThat(ProofQuery.tryDecode(RecoveryQuery.ofEverything(RANK).encode())).isNull();
    assertThatThrownBy(() -> RecoveryQuery.decode(ProofQuery.of(RANK, new long[0]).encode()))
        .isInstanceOf(WireFormatException.class);
  }

  @Test
  void shouldReadTheAnswerThatWasWritten() {
    ProofAnswer read =
        ProofAnswer.decode(ProofAnswer.of(-7, 1L << 63, new long[] {1, 1, 2, 3}).encode());
    assertThat(read.lastEventId()).isEqualTo(-7);
    assertThat(read.differing()).isEqualTo(1L << 63);
    assertThat(read.blocks()).containsExactly(1, 1, 2, 3);
  }

  @Test
  void shouldRefusePartsOfABlockAndBytesCutOff() {
    assertThatThrownBy(() -> ProofAnswer.decode(ProofAnswer.of(1, 0, new long[3]).encode()))
        .isInstanceOf(WireFormatException.class);
    byte[] query = ProofQuery.of(RANK, new long[] {1, 2}).encode();
    byte[] answer = ProofAnswer.of(1, 1, new long[4]).encode();
    for (int length = 0; length < answer.length; length++) {
      byte[] cut = Arrays.copyOf(answer, length);
      assertThatThrownBy(() -> ProofAnswer.decode(cut)).isInstanceOf(WireFormatException.class);
    }
    for (int length = 0; length < query.length; length++) {
      byte[] cut = Arrays.copyOf(query, length);
      assertThatThrownBy(() -> ProofQuery.tryDecode(cut)).isInstanceOf(WireFormatException.class);
    }
  }
}
