// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.wire.RouterEventBatch.Reject;
import io.dynamo4j.wire.WireFormatException.Reason;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RouterEventCodecTest {
  private static final String STORED =
      "84a9776f726b65725f696407ac73746f726167655f74696572a6646576696365b07265736964656e63795f646f"
          + "6d61696ea6776f726b6572a56576656e7483a86576656e745f696401a46461746181a673746f72656483ab"
          + "706172656e745f68617368c0ae73746172745f706f736974696f6ec0a6626c6f636b739183aa626c6f636b"
          + "5f68617368cfcb38e4d7fb2dca5cab746f6b656e735f68617368cfcb38e4d7fb2dca5cad6d6d5f65787472"
          + "615f696e666fc0a764705f72616e6b00";
  private static final String REMOVED =
      "84a9776f726b65725f696407ac73746f726167655f74696572ab686f73745f70696e6e6564b07265736964656e"
          + "63795f646f6d61696ea6776f726b6572a56576656e7483a86576656e745f696402a46461746181a772656d"
          + "6f76656481ac626c6f636b5f6861736865739201cfffffffffffffffffa764705f72616e6b03";
  private static final String CLEARED_WITHOUT_DOMAIN =
      "83a9776f726b65725f696407ac73746f726167655f74696572a6646576696365a56576656e7483a86576656e74"
          + "5f696403a464617461a7636c6561726564a764705f72616e6b00";
  private static final long HASH = 0xcb38e4d7fb2dca5cL;

  /* --------------- Golden bytes --------------- */

  @Test
  void shouldWriteTheGoldenBytes() {
    RouterEvent stored =
        event(
            StorageTier.DEVICE,
            1,
            0,
            KvCacheEventData.Stored.atRoot(new long[] {HASH}, new long[] {HASH}));
    RouterEvent removed =
        event(StorageTier.HOST_PINNED, 2, 3, KvCacheEventData.Removed.of(new long[] {1, -1}));

    assertThat(RouterEventCodec.encode(List.of(stored, removed)))
        .isEqualTo(hex("92" + STORED + REMOVED));
  }

  @Test
  void shouldReadTheGoldenBytes() {
    RouterEventBatch batch =
        RouterEventCodec.decode(hex("93" + STORED + REMOVED + CLEARED_WITHOUT_DOMAIN));

    assertThat(batch.rejected()).isZero();
    RouterEvent first = batch.events().get(0);
    assertThat(first.worker()).isEqualTo(WorkerWithDpRank.of(7));
    assertThat(first.tier()).isEqualTo(StorageTier.DEVICE);
    assertThat(first.event().eventId()).isEqualTo(1);
    KvCacheEventData.Stored stored = (KvCacheEventData.Stored) first.event().data();
    assertThat(stored.hasParent()).isFalse();
    assertThat(stored.blockHashes()).containsExactly(HASH);
    assertThat(stored.tokensHashes()).containsExactly(HASH);
    RouterEvent second = batch.events().get(1);
    assertThat(second.tier()).isEqualTo(StorageTier.HOST_PINNED);
    assertThat(second.event().dpRank()).isEqualTo(3);
    assertThat(((KvCacheEventData.Removed) second.event().data()).blockHashes())
        .containsExactly(1, -1);
    assertThat(batch.events().get(2).event().data()).isInstanceOf(KvCacheEventData.Cleared.class);
  }

  @Test
  void shouldReadOneBareMap() {
    assertThat(RouterEventCodec.decode(hex(STORED)).events()).hasSize(1);
  }

  @Test
  void shouldReturnWhatWasWritten() {
    KvCacheEventData data =
        KvCacheEventData.Stored.under(
            Long.MIN_VALUE, new long[] {0, 127, 128, 65_536, -1}, new long[] {255, 256, 1, 2, 3});
    RouterEvent event = RouterEvent.of(-1, StorageTier.DISK, KvCacheEvent.of(-2, -3, data));
    byte[] bytes = RouterEventCodec.encode(List.of(event));
    RouterEvent back = RouterEventCodec.decode(bytes).events().get(0);

    assertThat(back.worker()).isEqualTo(new WorkerWithDpRank(-1, -3));
    assertThat(back.event().eventId()).isEqualTo(-2);
    KvCacheEventData.Stored stored = (KvCacheEventData.Stored) back.event().data();
    assertThat(stored.parentHash()).isEqualTo(Long.MIN_VALUE);
    assertThat(stored.blockHashes()).containsExactly(0, 127, 128, 65_536, -1);
    assertThat(stored.tokensHashes()).containsExactly(255, 256, 1, 2, 3);
    assertThat(RouterEventCodec.encode(List.of(back))).isEqualTo(bytes);
  }

  /* --------------- Tolerance --------------- */

  @Test
  void shouldIgnoreUnknownKeysAndSupplyDefaults() {
    MsgpackWriter out = MsgpackWriter.ofExpectedSize(0).array(1).map(4);
    out.string("session_id").string("s").string("worker_id").unsigned(7);
    out.string("later").array(2).nil().map(1).string("x").unsigned(1);
    out.string("event").map(2).string("data").map(1).string("removed").map(2);
    out.string("why").nil().string("block_hashes").array(1).unsigned(5);
    out.string("event_id").unsigned(9);
    RouterEvent event = RouterEventCodec.decode(out.toByteArray()).events().get(0);

    assertThat(event.tier()).isEqualTo(StorageTier.DEVICE);
    assertThat(event.event().dpRank()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "tier, warm, UNKNOWN_TIER",
    "domain, '', UNSUPPORTED_RESIDENCY_DOMAIN",
    "domain, galaxy, UNSUPPORTED_RESIDENCY_DOMAIN",
    "domain, cache_owner, CACHE_OWNER",
    "kind, relocated, UNKNOWN_KIND",
    "kind, cleared_all, UNKNOWN_KIND"
  })
  void shouldCountAnEventByReasonAndKeepTheOthers(String what, String value, Reject reason) {
    MsgpackWriter out = MsgpackWriter.ofExpectedSize(0);
    out.map(4).string("worker_id").unsigned(7);
    out.string("storage_tier").string(what.equals("tier") ? value : "device");
    out.string("residency_domain");
    if (!what.equals("domain")) {
      out.string("worker");
    } else if (value.isEmpty()) {
      out.nil();
    } else {
      out.string(value);
    }
    out.string("event").map(2).string("event_id").unsigned(1).string("data");
    if (!what.equals("kind")) {
      out.string("cleared");
    } else if (value.equals("relocated")) {
      out.map(1).string(value).map(0);
    } else {
      out.string(value);
    }
    RouterEventBatch batch = RouterEventCodec.decode(list(hex(STORED), out.toByteArray()));

    assertThat(batch.events()).hasSize(1);
    assertThat(batch.rejected(reason)).isEqualTo(1);
    assertThat(batch.rejected()).isEqualTo(1);
  }

  @Test
  void shouldRefuseOnlyTheEventThatIsMalformed() {
    MsgpackWriter noWorker = MsgpackWriter.ofExpectedSize(0).map(1).string("event").map(2);
    noWorker.string("event_id").unsigned(1).string("data").string("cleared");
    MsgpackWriter halfBlock = MsgpackWriter.ofExpectedSize(0).map(2).string("worker_id");
    halfBlock.unsigned(1).string("event").map(2).string("event_id").unsigned(1).string("data");
    halfBlock.map(1).string("stored").map(1).string("blocks").array(1).map(1);
    halfBlock.string("block_hash").unsigned(1);
    byte[] number = {5};
    RouterEventBatch batch =
        RouterEventCodec.decode(
            list(noWorker.toByteArray(), halfBlock.toByteArray(), number, hex(REMOVED)));

    assertThat(batch.events()).hasSize(1);
    assertThat(batch.rejected(Reject.MALFORMED)).isEqualTo(3);
  }

  /* --------------- Limits --------------- */

  @Test
  void shouldRefuseDeepNestingWithoutStack() {
    byte[] deep = new byte[2_000_000];
    Arrays.fill(deep, (byte) 0x91);
    deep[deep.length - 1] = (byte) 0xc0;
    RouterEventBatch batch = RouterEventCodec.decode(list(deep, hex(STORED)));

    assertThat(batch.rejected(Reject.TOO_DEEP)).isEqualTo(1);
    assertThat(batch.events()).hasSize(1);
  }

  @Test
  void shouldRefuseALongStringInOneEventOnly() {
    MsgpackWriter out = MsgpackWriter.ofExpectedSize(0).map(1);
    out.string("k".repeat(WireLimits.MAX_STRING_BYTES + 1)).nil();
    RouterEventBatch batch = RouterEventCodec.decode(list(out.toByteArray(), hex(STORED)));

    assertThat(batch.rejected(Reject.TOO_LARGE)).isEqualTo(1);
    assertThat(batch.events()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "ddffffffff, TOO_LARGE", // four billion events
    "dd000fffff00, TRUNCATED", // a million events in one byte
    "dfffffffff, TRUNCATED", // one event of four billion entries
    "91c6ffffffff00, TRUNCATED", // a binary of four gigabytes
    "91c1, MALFORMED", // a code that does not exist
    "'', TRUNCATED",
    "a0, MALFORMED",
    "9000, TRAILING_BYTES"
  })
  void shouldRefuseAPayloadThatIsNoList(String bytes, Reason reason) {
    assertThatThrownBy(() -> RouterEventCodec.decode(hex(bytes)))
        .isInstanceOfSatisfying(
            WireFormatException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  @Test
  void shouldSayTruncatedForEveryPrefix() {
    byte[] whole = hex("93" + STORED + REMOVED + CLEARED_WITHOUT_DOMAIN);
    for (int length = 0; length < whole.length; length++) {
      byte[] part = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> RouterEventCodec.decode(part))
          .isInstanceOfSatisfying(
              WireFormatException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TRUNCATED));
    }
  }

  private static RouterEvent event(StorageTier tier, long id, int dpRank, KvCacheEventData data) {
    return RouterEvent.of(7, tier, KvCacheEvent.of(id, dpRank, data));
  }

  private static byte[] list(byte[]... elements) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(MsgpackWriter.ofExpectedSize(0).array(elements.length).toByteArray());
    for (byte[] element : elements) {
      out.writeBytes(element);
    }
    return out.toByteArray();
  }

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text);
  }
}
