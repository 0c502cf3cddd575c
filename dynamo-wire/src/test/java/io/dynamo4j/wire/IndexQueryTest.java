// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

class IndexQueryTest {
  private static final WorkerWithDpRank W = new WorkerWithDpRank(-7, 3);

  private static byte[] msgpack(String json) {
    return JsonValues.toMsgpack(json.getBytes(StandardCharsets.UTF_8));
  }

  private static String json(byte[] msgpack) {
    return new String(JsonValues.toJson(msgpack), StandardCharsets.UTF_8);
  }

  @Test
  void shouldWriteQueriesInThePeersShapeAndReadThem() {
    byte[] bytes = IndexQuery.of("m", new long[] {1, -1}, true).encode();
    assertThat(json(bytes))
        .isEqualTo(
            "{\"model_name\":\"m\",\"block_hashes\":[1,18446744073709551615],"
                + "\"device_only\":true}");
    IndexQuery query = IndexQuery.decode(bytes);
    assertThat(query.modelName()).isEqualTo("m");
    assertThat(query.blockHashes()).containsExactly(1, -1);
    assertThat(query.deviceOnly()).isTrue();
    IndexQuery bare =
        IndexQuery.decode(msgpack("{\"x\":{},\"block_hashes\":[],\"model_name\":\"m\"}"));
    assertThat(bare.deviceOnly()).isFalse();
  }

  @Test
  void shouldWriteAnswersInThePeersShapeAndReadThem() {
    IndexAnswer answer =
        IndexAnswer.of(
            Map.of(StorageTier.DEVICE, Map.of(W, 4), StorageTier.HOST_PINNED, Map.of(W, 2)));
    assertThat(json(answer.encode()))
        .isEqualTo(
            "{\"TieredScores\":{\"device\":{\"scores\":[[{\"worker_id\":18446744073709551609,"
                + "\"dp_rank\":3},4]],\"frequencies\":[]},\"lower_tier\":[[\"host_pinned\","
                + "{\"hits\":[[{\"worker_id\":18446744073709551609,\"dp_rank\":3},2]]}]]}}");
    IndexAnswer read = IndexAnswer.decode(answer.encode());
    assertThat(read.hits(StorageTier.DEVICE)).isEqualTo(Map.of(W, 4));
    assertThat(read.hits(StorageTier.HOST_PINNED)).isEqualTo(Map.of(W, 2));
    assertThat(read.hits(StorageTier.DISK)).isEmpty();
    assertThat(read.error()).isNull();
    assertThat(IndexAnswer.decode(IndexAnswer.ofError("no").encode()).error()).isEqualTo("no");
  }

  @Test
  void shouldWriteDecisionsInThePeersShapeAndReadThem() {
    byte[] bytes = IndexDecision.of("m", W, new long[] {1, 2}, new long[] {3, -1}).encode();
    assertThat(json(bytes))
        .isEqualTo(
            "{\"model_name\":\"m\",\"worker\":{\"worker_id\":18446744073709551609,"
                + "\"dp_rank\":3},\"local_hashes\":[1,2],"
                + "\"sequence_hashes\":[3,18446744073709551615]}");
    IndexDecision read = IndexDecision.decode(bytes);
    assertThat(read.modelName()).isEqualTo("m");
    assertThat(read.worker()).isEqualTo(W);
    assertThat(read.localHashes()).containsExactly(1, 2);
    assertThat(read.sequenceHashes()).containsExactly(3, -1);
    assertThat(json(IndexDecision.recorded())).isEqualTo("\"Recorded\"");
    assertThat(json(IndexDecision.refused("no"))).isEqualTo("{\"Error\":\"no\"}");
    assertThat(IndexDecision.readAnswer(IndexDecision.recorded())).isNull();
    assertThat(IndexDecision.readAnswer(IndexDecision.refused("no"))).isEqualTo("no");
  }

  @Test
  void shouldRefuseDecisionsThatAreCutOrLackSomething() {
    byte[] whole = IndexDecision.of("m", W, new long[] {1}, new long[] {3}).encode();
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> IndexDecision.decode(cut)).isInstanceOf(WireFormatException.class);
    }
    for (String json :
        new String[] {
          "{\"model_name\":\"m\",\"worker\":{\"worker_id\":1},\"local_hashes\":[1]}",
          "{\"model_name\":\"m\",\"local_hashes\":[],\"sequence_hashes\":[]}",
          "{\"model_name\":\"m\",\"worker\":{},\"local_hashes\":[],\"sequence_hashes\":[]}",
          "{\"model_name\":\"m\",\"worker\":{\"worker_id\":1},\"local_hashes\":[1],"
              + "\"sequence_hashes\":[]}"
        }) {
      assertThatThrownBy(() -> IndexDecision.decode(msgpack(json)))
          .as(json)
          .isInstanceOf(WireFormatException.class);
    }
    for (String json : new String[] {"\"Kept\"", "{}", "{\"Fault\":\"x\"}", "7"}) {
      assertThatThrownBy(() -> IndexDecision.readAnswer(msgpack(json)))
          .as(json)
          .isInstanceOf(WireFormatException.class);
    }
    assertThatThrownBy(() -> IndexDecision.of("m", W, new long[1], new long[2]))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldTakeTheLastOfATierThatComesTwiceAndIgnoreUnknownOnes() {
    IndexAnswer read =
        IndexAnswer.decode(
            msgpack(
                "{\"TieredScores\":{\"lower_tier\":[[\"disk\",{\"hits\":[[{\"worker_id\":1},2]]}],"
                    + "[\"tape\",{\"hits\":[[{\"worker_id\":1},9]]}],"
                    + "[\"disk\",{\"hits\":[[{\"worker_id\":1},5],[{\"worker_id\":2},0]]}]]}}"));
    assertThat(read.hits(StorageTier.DISK)).isEqualTo(Map.of(WorkerWithDpRank.of(1), 5));
  }

  @Test
  void shouldRefuseWhatIsNeither() {
    byte[] query = IndexQuery.of("m", new long[] {1, 2}, false).encode();
    byte[] answer = IndexAnswer.of(Map.of(StorageTier.DEVICE, Map.of(W, 4))).encode();
    for (int length = 0; length < query.length; length++) {
      byte[] cut = Arrays.copyOf(query, length);
      assertThatThrownBy(() -> IndexQuery.decode(cut)).isInstanceOf(WireFormatException.class);
    }
    for (int length = 0; length < answer.length; length++) {
      byte[] cut = Arrays.copyOf(answer, length);
      assertThatThrownBy(() -> IndexAnswer.decode(cut)).isInstanceOf(WireFormatException.class);
    }
    byte[] longer = Arrays.copyOf(query, query.length + 1);
    assertThatThrownBy(() -> IndexQuery.decode(longer)).isInstanceOf(WireFormatException.class);
    assertThatThrownBy(() -> IndexQuery.decode(msgpack("{\"model_name\":\"m\"}")))
        .isInstanceOf(WireFormatException.class);
    assertThatThrownBy(() -> IndexAnswer.decode(msgpack("{\"Other\":1}")))
        .isInstanceOf(WireFormatException.class);
    assertThatThrownBy(
            () ->
                IndexAnswer.decode(
                    msgpack("{\"TieredScores\":{\"device\":{\"scores\":[[{},1]]}}}")))
        .isInstanceOf(WireFormatException.class);
  }
}
