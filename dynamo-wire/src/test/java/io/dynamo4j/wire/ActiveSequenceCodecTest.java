// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.wire.ActiveSequenceEvent.Kind;
import io.dynamo4j.wire.RouterLeaseMessage.Lease;
import io.dynamo4j.wire.RouterLeaseMessage.Snapshot;
import io.dynamo4j.wire.RouterLeaseMessage.SnapshotRequest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;

class ActiveSequenceCodecTest {
  private static final String FREE =
      "85aa726571756573745f6964a27231a6776f726b657282a9776f726b65725f696401a764705f72616e6b00a4"
          + "64617461a446726565a9726f757465725f69642aa96c6f72615f6e616d65c0";
  private static final String ADD =
      "85aa726571756573745f6964a27231a6776f726b657282a9776f726b65725f696401a764705f72616e6b00a4"
          + "6461746181aa4164645265717565737484ae746f6b656e5f73657175656e636593010203b4747261636b"
          + "5f70726566696c6c5f746f6b656e73c3b665787065637465645f6f75747075745f746f6b656e73cc80b1"
          + "70726566696c6c5f6c6f61645f68696e7482d920696e697469616c5f6566666563746976655f70726566"
          + "696c6c5f746f6b656e7330b965787065637465645f70726566696c6c5f6475726174696f6e";
  private static final String ADD_TAIL = "a9726f757465725f69642aa96c6f72615f6e616d65c0";
  private static final String DURATION = "82a47365637301a56e616e6f73ce1dcd6500";
  private static final WorkerWithDpRank WORKER = WorkerWithDpRank.of(1);

  /* --------------- Golden bytes --------------- */

  @Test
  void shouldWriteAndReadAFree() {
    ActiveSequenceEvent free = ActiveSequenceEvent.free("r1", WORKER, 42, null);

    assertThat(ActiveSequenceCodec.encode(free)).isEqualTo(hex(FREE));
    assertThat(ActiveSequenceCodec.encodeBatch(List.of(free)))
        .isEqualTo(hex("81a66576656e747391" + FREE));
    for (String payload : List.of(FREE, "81a66576656e747391" + FREE)) {
      ActiveSequenceBatch batch = ActiveSequenceCodec.decode(hex(payload));
      assertThat(batch.rejected()).isZero();
      ActiveSequenceEvent back = batch.events().get(0);
      assertThat(back.requestId()).isEqualTo("r1");
      assertThat(back.worker()).isEqualTo(WORKER);
      assertThat(back.kind()).isEqualTo(Kind.FREE);
      assertThat(back.added()).isNull();
      assertThat(back.routerId()).isEqualTo(42);
      assertThat(back.loraName()).isNull();
    }
  }

  @Test
  void shouldWriteAndReadAnAddition() {
    long[] hashes = {1, 2, 3};
    for (boolean modelled : new boolean[] {false, true}) {
      AddedSequence added = AddedSequence.of(hashes, true, 128, 48, modelled ? 1_500_000_000L : -1);
      byte[] golden = hex(ADD + (modelled ? DURATION : "c0") + ADD_TAIL);

      assertThat(ActiveSequenceCodec.encode(ActiveSequenceEvent.add("r1", WORKER, added, 42, null)))
          .isEqualTo(golden);
      AddedSequence back = added(golden);
      assertThat(back.tokenSequence()).containsExactly(hashes);
      assertThat(back.trackPrefillTokens()).isTrue();
      assertThat(back.expectedOutputTokens()).isEqualTo(128);
      assertThat(back.prefillTokens()).isEqualTo(48);
      assertThat(back.expectedPrefillNanos()).isEqualTo(modelled ? 1_500_000_000L : -1);
    }
  }

  /* --------------- Leniency --------------- */

  @Test
  void shouldTakeAnyOrderUnknownKeysAndDefaults() throws Exception {
    byte[] payload;
    try (MessageBufferPacker out = MessagePack.newDefaultBufferPacker()) {
      out.packMapHeader(5).packString("router_id").packLong(7).packString("new_field");
      out.packArrayHeader(2).packNil().packMapHeader(0);
      out.packString("data").packMapHeader(1).packString("AddRequest").packMapHeader(1);
      out.packString("token_sequence").packNil();
      out.packString("worker").packMapHeader(1).packString("worker_id").packInt(9);
      out.packString("request_id").packString("");
      payload = out.toByteArray();
    }

    ActiveSequenceEvent event = ActiveSequenceCodec.decode(payload).events().get(0);

    assertThat(event.requestId()).isEmpty();
    assertThat(event.worker()).isEqualTo(WorkerWithDpRank.of(9));
    AddedSequence added = added(payload);
    assertThat(added.tokenSequence()).isNull();
    assertThat(added.trackPrefillTokens()).isTrue();
    assertThat(added.prefillTokens()).isEqualTo(AddedSequence.UNKNOWN);
    assertThat(added.expectedOutputTokens()).isEqualTo(AddedSequence.UNKNOWN);
  }

  @Test
  void shouldCountOneBadEventAndKeepTheOthers() {
    String unknownKind = FREE.replace("a446726565", "a446726566");

    ActiveSequenceBatch batch =
        ActiveSequenceCodec.decode(hex("81a66576656e747393" + FREE + unknownKind + FREE));

    assertThat(batch.events()).hasSize(2);
    assertThat(batch.rejected()).isEqualTo(1);
  }

  @Test
  void shouldRefuseWhatIsNoMessage() {
    for (String payload : List.of("", "c0", "91" + FREE, FREE + "00", FREE.substring(0, 60))) {
      assertThatThrownBy(() -> ActiveSequenceCodec.decode(hex(payload)))
          .isInstanceOf(WireFormatException.class);
    }
    assertThat(ActiveSequenceCodec.decode(hex("80")).rejected()).isEqualTo(1);
  }

  /* --------------- Random events --------------- */

  @Property(tries = 500)
  void shouldReadBackWhatItWrites(@ForAll long seed) {
    RandomSource random = RandomSource.seeded(seed);
    List<ActiveSequenceEvent> events = randomEvents(random);
    byte[] bytes = ActiveSequenceCodec.encodeBatch(events);

    ActiveSequenceBatch back = ActiveSequenceCodec.decode(bytes);

    assertThat(back.rejected()).isZero();
    assertThat(back.events()).hasSameSizeAs(events);
    assertThat(ActiveSequenceCodec.encodeBatch(back.events())).isEqualTo(bytes);
  }

  @Property(tries = 1_000)
  void shouldThrowNothingButItsOwnErrorOnDamagedMessages(@ForAll long seed) {
    RandomSource random = RandomSource.seeded(seed);
    byte[] events = ActiveSequenceCodec.encodeBatch(randomEvents(random));
    byte[] lease = RouterLeaseCodec.encode(new Snapshot(1, 2, 3, 0, 1, additions(random)));
    for (byte[] bytes : List.of(events, lease)) {
      for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      try {
        ActiveSequenceBatch batch = ActiveSequenceCodec.decode(bytes);
        assertThat(batch.events().size() + batch.rejected()).isGreaterThanOrEqualTo(0);
        assertThat(RouterLeaseCodec.decode(bytes)).isNotNull();
      } catch (WireFormatException e) {
        assertThat(e.reason()).isNotNull();
      }
    }
  }

  @Property(tries = 300)
  void shouldReadBackLeaseMessages(@ForAll long seed) {
    RandomSource random = RandomSource.seeded(seed);
    Lease lease = new Lease(random.nextLong(), random.nextLong(), 5, random.nextLong(), 3, 30_000);
    SnapshotRequest request = new SnapshotRequest(1, random.nextLong(), random.nextInt(2) == 0);
    List<ActiveSequenceEvent> bookings = additions(random);

    assertThat(RouterLeaseCodec.decode(RouterLeaseCodec.encode(lease))).isEqualTo(lease);
    assertThat(RouterLeaseCodec.decode(RouterLeaseCodec.encode(request))).isEqualTo(request);
    byte[] bytes = RouterLeaseCodec.encode(new Snapshot(1, 2, 3, 1, 4, bookings));
    Snapshot back = (Snapshot) RouterLeaseCodec.decode(bytes);
    assertThat(back.bookings()).hasSameSizeAs(bookings);
    assertThat(RouterLeaseCodec.encode(back)).isEqualTo(bytes);
  }

  private static List<ActiveSequenceEvent> randomEvents(RandomSource random) {
    List<ActiveSequenceEvent> events = new ArrayList<>();
    for (int i = random.nextInt(20); i >= 0; i--) {
      String id = "request-" + random.nextLong();
      WorkerWithDpRank worker = new WorkerWithDpRank(random.nextLong(), random.nextInt(3));
      String lora = random.nextInt(2) == 0 ? null : "adapter";
      switch (random.nextInt(3)) {
        case 0 -> events.add(ActiveSequenceEvent.free(id, worker, random.nextLong(), lora));
        case 1 ->
            events.add(
                ActiveSequenceEvent.markPrefillCompleted(id, worker, random.nextLong(), lora));
        default -> events.addAll(additions(random));
      }
    }
    return events;
  }

  private static List<ActiveSequenceEvent> additions(RandomSource random) {
    long[] hashes = random.nextInt(4) == 0 ? null : new long[random.nextInt(40)];
    for (int i = 0; hashes != null && i < hashes.length; i++) {
      hashes[i] = random.nextLong() >>> random.nextInt(64);
    }
    AddedSequence added =
        AddedSequence.of(
            hashes,
            random.nextInt(2) == 0,
            random.nextInt(100) - 50,
            random.nextInt(20_000) - 5_000,
            (random.nextLong() >> 2) - (random.nextInt(2) == 0 ? 0 : Long.MAX_VALUE / 2));
    WorkerWithDpRank worker = new WorkerWithDpRank(random.nextLong(), random.nextInt(3));
    return List.of(ActiveSequenceEvent.add("r" + random.nextLong(), worker, added, 3, null));
  }

  private static AddedSequence added(byte[] payload) {
    return Objects.requireNonNull(ActiveSequenceCodec.decode(payload).events().get(0).added());
  }

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text);
  }
}
