// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The published vectors: input byte i is i modulo 251. */
class Blake3Test {

  @ParameterizedTest
  @CsvSource({
    "0, af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
    "1, 2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213",
    "1023, 10108970eeda3eb932baac1428c7a2163b0e924c9a9e25b35bba72b28f70bd11",
    "1024, 42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7",
    "1025, d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444",
    "2048, e776b6028c7cd22a4d0ba182a8bf62205d2ef576467e838ed6f2529b85fba24a",
    "2049, 5f4d72f40d7a5f82b15ca2b2e44b1de3c2ef86c426c95c1af0b6879522563030",
    "3072, b98cb0ff3623be03326b373de6b9095218513e64f1ee2edd2525c7ad1e5cffd2",
    "4096, 015094013f57a5277b59d8475c0501042c0b642e531b0a1c8f58d2163229e969",
    "5120, 9cadc15fed8b5d854562b26a9536d9707cadeda9b143978f319ab34230535833",
  })
  void shouldGiveThePublishedHashWhenInputSpansChunks(int length, String expected) {
    byte[] input = new byte[length];
    for (int i = 0; i < length; i++) {
      input[i] = (byte) (i % 251);
    }
    assertThat(HexFormat.of().formatHex(Blake3.hash(input))).isEqualTo(expected);
  }

  @Test
  void shouldGiveTheSameNumberOfAnAdapterOnceCompiled() {
    int first = LoraIds.of("adapter");
    for (int i = 0; i < 30_000; i++) {
      assertThat(LoraIds.of("adapter")).isEqualTo(first);
    }
  }

  /** Compiled code is other code: it must be as right as what is interpreted at first. */
  @ParameterizedTest
  @CsvSource({"31", "64", "650", "1024", "3000"})
  void shouldGiveTheSameHashOnceCompiled(int length) {
    byte[] input = new byte[length];
    for (int i = 0; i < length; i++) {
      input[i] = (byte) (i % 251);
    }
    byte[] first = Blake3.hash(input);
    for (int i = 0; i < 3_000_000 / Math.max(64, length); i++) {
      assertThat(Arrays.equals(Blake3.hash(input), first)).as("call %d", i).isTrue();
    }
  }
}
