// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.hash;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.HexFormat;

/**
 * Everything that XXH3 derives from its fixed secret and a seed, computed once.
 *
 * <p>The reference reads the secret at odd byte offsets and adds the seed on every use; here each
 * such word stands ready, so that a kernel only loads it.
 */
final class Keys {
  /*
   *  words     used by             word i is
   *  0 .. 23   17-128 bytes, first half of 129-240, stripes, scrambling
   *                                secret[8 i] + seed for even i, - seed for odd i
   *  24 .. 37  second half of 129-240 bytes
   *                                secret[3 + 8 i] +- seed
   *  38 .. 39  last 16 of 129-240 bytes
   *                                secret[119] + seed, secret[127] - seed
   *  40 .. 47  last stripe         derived secret (words 0 .. 23 as bytes) from byte 121 on
   *  48 .. 55  merging of lanes    derived secret from byte 11 on
   */
  static final int SCRAMBLE = 16;
  static final int MID = 24;
  static final int MID_LAST = 38;
  static final int LAST_STRIPE = 40;
  static final int MERGE = 48;
  private static final int WORDS = 56;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  /** The secret of the specification. */
  private static final byte[] SECRET =
      HexFormat.of()
          .parseHex(
              "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
                  + "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
                  + "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
                  + "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
                  + "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
                  + "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e");

  final long[] words;

  /** The first eight of {@link #words}, for input of 64 bytes. */
  final long word0;

  final long word1;
  final long word2;
  final long word3;
  final long word4;
  final long word5;
  final long word6;
  final long word7;
  final long flip0;
  final long flip1To3;
  final long flip4To8;
  final long flip9To16Low;
  final long flip9To16High;

  private Keys(long seed) {
    this.words = derive(seed);
    this.word0 = words[0];
    this.word1 = words[1];
    this.word2 = words[2];
    this.word3 = words[3];
    this.word4 = words[4];
    this.word5 = words[5];
    this.word6 = words[6];
    this.word7 = words[7];
    this.flip0 = seed ^ secret(56) ^ secret(64);
    this.flip1To3 = ((secretInt(0) ^ secretInt(4)) & 0xFFFFFFFFL) + seed;
    long spread = seed ^ ((Integer.reverseBytes((int) seed) & 0xFFFFFFFFL) << 32);
    this.flip4To8 = (secret(8) ^ secret(16)) - spread;
    this.flip9To16Low = (secret(24) ^ secret(32)) + seed;
    this.flip9To16High = (secret(40) ^ secret(48)) - seed;
  }

  static Keys of(long seed) {
    return new Keys(seed);
  }

  private static long[] derive(long seed) {
    long[] words = new long[WORDS];
    seeded(words, 0, MID, 0, seed);
    seeded(words, MID, MID_LAST, 3, seed);
    seeded(words, MID_LAST, LAST_STRIPE, 119, seed);
    byte[] derived = new byte[SECRET.length];
    for (int i = 0; i < MID; i++) {
      LONG.set(derived, 8 * i, words[i]);
    }
    for (int i = 0; i < 8; i++) {
      words[LAST_STRIPE + i] = (long) LONG.get(derived, 121 + 8 * i);
      words[MERGE + i] = (long) LONG.get(derived, 11 + 8 * i);
    }
    return words;
  }

  private static void seeded(long[] words, int from, int to, int secretOffset, long seed) {
    for (int i = 0; i < to - from; i++) {
      words[from + i] = secret(secretOffset + 8 * i) + ((i & 1) == 0 ? seed : -seed);
    }
  }

  private static long secret(int offset) {
    return (long) LONG.get(SECRET, offset);
  }

  private static int secretInt(int offset) {
    return (int) INT.get(SECRET, offset);
  }
}
