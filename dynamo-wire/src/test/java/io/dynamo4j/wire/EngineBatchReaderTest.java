// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.wire.WireFormatException.Reason;
import java.io.ByteArrayOutputStream;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EngineBatchReaderTest {
  /** Hashes 1 and 2^64-1, tokens 1 to 4, block size 2, medium GPU. */
  private static final String LIST =
      "97ab426c6f636b53746f7265649201cfffffffffffffffffc0940102030402c0a3475055";

  private static final String MAP =
      "88a474797065ab426c6f636b53746f726564ac626c6f636b5f6861736865739201cfffffffffffffffffb1706172"
          + "656e745f626c6f636b5f68617368c0a9746f6b656e5f6964739401020304aa626c6f636b5f73697a6502a7"
          + "6c6f72615f6964c0a66d656469756da3475055a96c6f72615f6e616d65c0";
  private static final String TIME = "cb3ff0000000000000";
  private static final String MEANING =
      "STORED[1, -1] parent none tokens [1, 2, 3, 4] size 2 adapter null/false salt null/NONE"
          + " media [] media [] medium GPU group -1 kind null window -1 locality null ownership null";

  private final EngineBatchReader reader = EngineBatchReader.create();

  private List<String> read(String hex) {
    return EngineSummary.read(reader, HexFormat.of().parseHex(hex));
  }

  /* --------------- Batches --------------- */

  @Test
  void shouldReadListsAndMapsOfOneBatch() {
    assertThat(read("93" + TIME + "92" + LIST + MAP + "00"))
        .containsExactly("rank 0", MEANING, MEANING);
  }

  @ParameterizedTest
  @CsvSource({
    "93 cb3ff0000000000000 90 c0, rank none",
    "93 cb3ff0000000000000 90 05, rank 5",
    "93 cb3ff0000000000000 90 ff, rank 4294967295",
    "93 05 90 00, rank 0",
    "93 c0 90 00, rank 0",
    "92 05 90, rank none",
    "95 05 90 01 c0 a178, rank 1",
    "93 05 90 01 a17879, rank 1",
    "83 a27473 05 a6 6576656e7473 90 b2 646174615f706172616c6c656c5f72616e6b 07, rank 7",
    "81 a6 6576656e7473 90, rank none"
  })
  void shouldReadEveryFormOfABatch(String spaced, String rank) {
    assertThat(read(spaced.replace(" ", ""))).containsExactly(rank);
  }

  @ParameterizedTest
  @CsvSource({
    "'', TRUNCATED",
    "c0, MALFORMED",
    "9105, MALFORMED",
    "9305a17800, MALFORMED",
    "93a1789000, MALFORMED",
    "930590a178, MALFORMED",
    "930590cf0000000100000000, MALFORMED",
    "930590d3ffffffff00000000, MALFORMED",
    "930591, TRUNCATED",
    "9305dd7fffffff00, TRUNCATED",
    "8105a0, MALFORMED",
    "81a178a0, MALFORMED"
  })
  void shouldRefuseWhatIsNoBatch(String hex, Reason reason) {
    assertThatThrownBy(() -> read(hex))
        .isInstanceOfSatisfying(
            WireFormatException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    assertThat(reader.next()).isFalse();
  }

  @Test
  void shouldRefuseAFrameBeyondTheLimitBeforeReadingIt() {
    byte[] frame = new byte[WireLimits.MAX_FRAME_BYTES + 1];
    assertThatThrownBy(() -> reader.open(frame)).hasMessageContaining("TOO_LARGE");
  }

  /* --------------- Limits --------------- */

  @Test
  void shouldRefuseOneEventThatNestsTooDeep() {
    String deep =
        "82a474797065" + "b0416c6c426c6f636b73436c6561726564" + "a178" + "91".repeat(14) + "c0";
    assertThat(read("9305" + "92" + deep + LIST + "00"))
        .containsExactly("rank 0", "fault TOO_DEEP", MEANING);
  }

  @Test
  void shouldReadAnEventThatNestsAsDeepAsAllowed() {
    String deep =
        "82a474797065" + "b0416c6c426c6f636b73436c6561726564" + "a178" + "91".repeat(13) + "c0";
    assertThat(read("9305" + "92" + deep + LIST + "00").get(1)).startsWith("CLEARED");
  }

  @Test
  void shouldRefuseOneEventWithTooManyItems() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(HexFormat.of().parseHex("930592" + "92" + "ac426c6f636b52656d6f766564"));
    int items = WireLimits.MAX_ITEMS + 1;
    out.writeBytes(
        new byte[] {(byte) 0xdd, 0, (byte) (items >> 16), (byte) (items >> 8), (byte) items});
    out.writeBytes(new byte[items]);
    out.writeBytes(HexFormat.of().parseHex(LIST + "00"));

    assertThat(EngineSummary.read(reader, out.toByteArray()))
        .containsExactly("rank 0", "fault TOO_LARGE", MEANING);
  }

  @Test
  void shouldRefuseOneEventWithTooLongAText() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(HexFormat.of().parseHex("930592" + "93" + "ac426c6f636b52656d6f766564" + "90"));
    int bytes = WireLimits.MAX_STRING_BYTES + 1;
    out.writeBytes(
        new byte[] {(byte) 0xdb, 0, (byte) (bytes >> 16), (byte) (bytes >> 8), (byte) bytes});
    out.writeBytes(new byte[bytes]);
    out.writeBytes(HexFormat.of().parseHex(LIST + "00"));

    assertThat(EngineSummary.read(reader, out.toByteArray()))
        .containsExactly("rank 0", "fault TOO_LARGE", MEANING);
  }

  /* --------------- Fields --------------- */

  @Test
  void shouldTakeTheEndOfADigestAsHash() {
    String digest = "c420" + "00".repeat(23) + "01" + "cb38e4d7fb2dca5c";
    assertThat(
            read("9305"
                    + "91"
                    + "92ac426c6f636b52656d6f76656493"
                    + digest
                    + "c40107"
                    + "c4020102"
                    + "00")
                .get(1))
        .startsWith("REMOVED[" + 0xcb38e4d7fb2dca5cL + ", 7, 258]");
  }

  @Test
  void shouldRefuseADigestOfNoBytes() {
    assertThat(read("93059192ac426c6f636b52656d6f76656491c40000")).contains("fault BAD_HASH");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // cache_salt in the slot of the adapter's name, with and without a session
        "98ab426c6f636b53746f726564910190910102" + "c0c0" + "81aa63616368655f73616c74a27331",
        "98ab426c6f636b53746f726564910190910102"
            + "c0c0"
            + "82aa73657373696f6e5f6964a178aa63616368655f73616c74a27331"
      })
  void shouldFindASaltInTheSlotOfTheAdaptersName(String event) {
    assertThat(read("930591" + event.replace("910190910102", "9101c0910101") + "00").get(1))
        .contains("adapter null/false salt s1/DECLARED");
  }

  @Test
  void shouldReadADictionaryWhoseBlocksListTheirTokens() {
    // {"event_id":1,"window_size":9,"attention_dp_rank":3,"data":{"type":"stored","parent_hash":5,
    //  "blocks":[{"block_hash":6,"tokens":[{"token_id":1},{"token_id":2}],"mm_keys":[{"type":
    //  "mm_key","hash":"000000000000000aff","start_offset":0}]},{"block_hash":7,"tokens":[3]}]}}
    String event =
        "84a86576656e745f696401ab77696e646f775f73697a6509b1617474656e74696f6e5f64705f72616e6b03a464617461"
            + "83a474797065a673746f726564ab706172656e745f6861736805a6626c6f636b7392"
            + "83aa626c6f636b5f6861736806a6746f6b656e739281a8746f6b656e5f69640181a8746f6b656e5f696402"
            + "a76d6d5f6b6579739183a474797065a66d6d5f6b6579a468617368b2303030303030303030303030303030616666"
            + "ac73746172745f6f666673657400"
            + "82aa626c6f636b5f6861736807a6746f6b656e739103";
    assertThat(read("930591" + event + "00").get(1))
        .startsWith("STORED[6, 7] parent 5 tokens [1, 2, 3] size 0")
        .contains("media [10] media []")
        .contains("window 9");
    assertThat(reader.event().isDictionary()).isTrue();
    assertThat(reader.event().tokensEnd(0)).isEqualTo(2);
    assertThat(reader.event().dpRank()).isEqualTo(3);
  }

  @Test
  void shouldNotTakeAMapWithATypeForADictionary() {
    String map = "82a474797065b0416c6c426c6f636b73436c6561726564a46461746181a17801";
    assertThat(read("930591" + map + "00").get(1)).startsWith("CLEARED");
  }
}
