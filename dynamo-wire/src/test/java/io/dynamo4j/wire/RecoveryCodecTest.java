// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecoveryCodecTest {
  private static final RouterEventBatch EVENTS =
      RouterEventBatch.of(
          List.of(
              RouterEvent.of(
                  -1,
                  StorageTier.DEVICE,
                  KvCacheEvent.of(9, 2, KvCacheEventData.Removed.of(new long[] {-1, 3})))));

  private static byte[] json(String text) {
    return JsonValues.toMsgpack(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }

  private static String json(byte[] msgpack) {
    return new String(JsonValues.toJson(msgpack), StandardCharsets.UTF_8).replace('"', '\'');
  }

  /* --------------- Queries --------------- */

  @Test
  void shouldAskAsTheRecordedRouterDoes() {
    WorkerWithDpRank worker = new WorkerWithDpRank(-1, 3);
    assertThat(json(RecoveryQuery.startingAt(worker, 4).encode()))
        .isEqualTo(
            "{'worker_id':18446744073709551615,'dp_rank':3,'start_event_id':4,'end_event_id':null,"
                + "'supports_tree_dump_failed':true,'kind':'recovery'}");
    assertThat(RecoveryQuery.decode(RecoveryQuery.ofEverything(worker).encode()))
        .usingRecursiveComparison()
        .isEqualTo(RecoveryQuery.ofEverything(worker));
  }

  /** Both are fields that the peer ignores; neither is written where nothing is in parts. */
  @Test
  void shouldAskForPartsAndSayHowManyThereAre() {
    RecoveryQuery query = RecoveryQuery.ofEverything(WorkerWithDpRank.of(1)).inParts();
    assertThat(json(query.encode())).endsWith("'kind':'recovery','supports_parts':true}");
    assertThat(RecoveryQuery.decode(query.encode()).supportsParts()).isTrue();
    assertThat(RecoveryQuery.ofEverything(WorkerWithDpRank.of(1)).supportsParts()).isFalse();
    RouterEventBatch none = RouterEventBatch.of(List.of());
    byte[] first = RecoveryResponseCodec.encode(new RecoveryResponse.TreeDump(none, 3, 2));
    assertThat(json(first)).endsWith("'reset_scope':'all','parts':2}}");
    assertThat(RecoveryResponseCodec.decode(first))
        .isInstanceOfSatisfying(
            RecoveryResponse.TreeDump.class, dump -> assertThat(dump.parts()).isEqualTo(2));
    assertThat(json(RecoveryResponseCodec.encode(new RecoveryResponse.TreeDump(none, 3))))
        .doesNotContain("parts");
  }

  @Test
  void shouldReadAQueryWithUnknownFieldsAndWithoutOptionalOnes() {
    RecoveryQuery query = RecoveryQuery.decode(json("{'zzz':1,'dp_rank':0,'worker_id':5}"));
    assertThat(query.worker()).isEqualTo(WorkerWithDpRank.of(5));
    assertThat(query.startEventId()).isEmpty();
    assertThat(query.supportsTreeDumpFailed()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'worker_id':5}",
        "{'dp_rank':0}",
        "{'worker_id':5,'dp_rank':0,'kind':'status'}",
        "{'worker_id':5,'dp_rank':0,'kind':{'status':{}}}",
        "{'worker_id':5,'dp_rank':-1}",
        "{'worker_id':'5','dp_rank':0}",
        "[]"
      })
  void shouldRefuseAQueryThatTheRecordedWorkerDoesNotAnswer(String query) {
    assertThatThrownBy(() -> RecoveryQuery.decode(json(query)))
        .isInstanceOf(WireFormatException.class);
  }

  /* --------------- Answers --------------- */

  static Stream<RecoveryResponse> responses() {
    return Stream.of(
        new RecoveryResponse.Events(EVENTS, -1),
        new RecoveryResponse.TreeDump(EVENTS, 0),
        new RecoveryResponse.TreeDumpFailed(7, "why"),
        new RecoveryResponse.TooNew(OptionalLong.of(8), OptionalLong.empty(), 7),
        new RecoveryResponse.InvalidRange(9, 8),
        new RecoveryResponse.Failed("no such worker"));
  }

  @ParameterizedTest
  @MethodSource("responses")
  void shouldReturnWhatWasWrittenInBothCodecs(RecoveryResponse response) {
    byte[] bytes = RecoveryResponseCodec.encode(response);
    RecoveryResponse back = RecoveryResponseCodec.decode(bytes);
    assertThat(back).hasSameClassAs(response);
    assertThat(RecoveryResponseCodec.encode(back)).isEqualTo(bytes);
    RecoveryResponse viaJson =
        RecoveryResponseCodec.decode(JsonValues.toMsgpack(JsonValues.toJson(bytes)));
    assertThat(RecoveryResponseCodec.encode(viaJson)).isEqualTo(bytes);
  }

  @Test
  void shouldReadTheOlderListOfEvents() {
    String event = "{'worker_id':1,'event':{'event_id':%d,'data':'cleared'}}";
    String list = "{'Events':[" + event.formatted(4) + "," + event.formatted(6) + "]}";
    RecoveryResponse.Events events =
        (RecoveryResponse.Events) RecoveryResponseCodec.decode(json(list));
    assertThat(events.lastEventId()).isEqualTo(6);
    assertThat(events.events().events()).hasSize(2);
  }

  @Test
  void shouldLeaveOutAndCountEventsThatCannotBeUsed() {
    String dump = "{'TreeDump':{'events':[{'worker_id':1}],'last_event_id':3,'reset_scope':'all'}}";
    RecoveryResponse.TreeDump read =
        (RecoveryResponse.TreeDump) RecoveryResponseCodec.decode(json(dump));
    assertThat(read.events().rejected()).isEqualTo(1);
    assertThat(read.lastEventId()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'Status':{}}",
        "{'Events':{'events':[]}}",
        "{'Events':{'last_event_id':1}}",
        "{'TooNew':{'requested_start':1}}",
        "{'InvalidRange':{'start_id':1}}",
        "{'TreeDumpFailed':{'message':'x'}}",
        "{'Error':1}",
        "'Events'",
        "{'Error':'a','Events':[]}"
      })
  void shouldRefuseAnAnswerThatLacksSomething(String answer) {
    assertThatThrownBy(() -> RecoveryResponseCodec.decode(json(answer)))
        .isInstanceOf(WireFormatException.class);
  }
}
