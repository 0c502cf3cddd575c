// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Sizes of values whose first byte tells them, in tables: a branch on forms that come mixed, as
 * those of token ids do, would be foretold wrongly every other time.
 */
final class MsgpackForms {
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private static final byte[] SCALAR_BYTES = new byte[256];
  private static final byte[] UNSIGNED32_BYTES = new byte[256];
  private static final int[] UNSIGNED32_MASKS = new int[256];

  static {
    for (int code = 0; code < 256; code++) {
      SCALAR_BYTES[code] = (byte) scalarBytesOf(code);
    }
    for (int code = 0; code <= 0x7f; code++) {
      unsigned32(code, 1, 0x7f);
    }
    unsigned32(0xcc, 2, 0xff);
    unsigned32(0xcd, 3, 0xffff);
    unsigned32(0xce, 5, -1);
  }

  private MsgpackForms() {}

  private static int scalarBytesOf(int code) {
    if (code <= 0x7f || code >= 0xe0) {
      return 1;
    }
    if (code >= 0xa0 && code <= 0xbf) {
      return 1 + (code & 0x1f);
    }
    return switch (code) {
      case 0xc0, 0xc2, 0xc3 -> 1;
      case 0xcc, 0xd0 -> 2;
      case 0xcd, 0xd1 -> 3;
      case 0xca, 0xce, 0xd2 -> 5;
      case 0xcb, 0xcf, 0xd3 -> 9;
      default -> 0;
    };
  }

  private static void unsigned32(int code, int size, int mask) {
    UNSIGNED32_BYTES[code] = (byte) size;
    UNSIGNED32_MASKS[code] = mask;
  }

  /** Returns the size of a number, short string, boolean or nil, 0 for what else a code begins. */
  static int scalarBytes(int code) {
    return SCALAR_BYTES[code];
  }

  /** Returns the size of an unsigned number in one of its forms of up to 32 bits, 0 for others. */
  static int unsigned32Bytes(int code) {
    return UNSIGNED32_BYTES[code];
  }

  /** Returns the pattern of such a number, of which the bytes, four at least, end here. */
  static int unsigned32(byte[] bytes, int numberEnd, int code) {
    return (int) INTS.get(bytes, numberEnd - Integer.BYTES) & UNSIGNED32_MASKS[code];
  }

  /** Returns the eight bytes that start here. */
  static long bits64(byte[] bytes, int start) {
    return (long) LONGS.get(bytes, start);
  }
}
