// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Appends MessagePack values in their shortest form, integers as unsigned bit patterns.
 *
 * <p><b>Source.</b> MessagePack specification,
 * https://github.com/msgpack/msgpack/blob/master/spec.md
 */
final class MsgpackWriter {
  private byte[] bytes;
  private int size;

  private MsgpackWriter(int expectedBytes) {
    this.bytes = new byte[expectedBytes];
  }

  static MsgpackWriter ofExpectedSize(int bytes) {
    return new MsgpackWriter(Math.max(64, bytes));
  }

  byte[] toByteArray() {
    return Arrays.copyOf(bytes, size);
  }

  MsgpackWriter nil() {
    return put(0xc0, 1);
  }

  MsgpackWriter map(int entries) {
    if (entries < 16) {
      return put(0x80 | entries, 1);
    }
    return entries < 1 << 16 ? put(0xde, 1).put(entries, 2) : put(0xdf, 1).put(entries, 4);
  }

  MsgpackWriter array(int items) {
    if (items < 16) {
      return put(0x90 | items, 1);
    }
    return items < 1 << 16 ? put(0xdc, 1).put(items, 2) : put(0xdd, 1).put(items, 4);
  }

  /** Begins a map whose number of entries is not known yet; returns what {@link #close} takes. */
  int openMap() {
    put(0xdf, 1).put(0, 4);
    return size;
  }

  /** Begins an array whose number of items is not known yet; returns what {@link #close} takes. */
  int openArray() {
    put(0xdd, 1).put(0, 4);
    return size;
  }

  /** Ends what was begun. */
  void close(int opened, int items) {
    for (int i = 1; i <= 4; i++) {
      bytes[opened - i] = (byte) (items >>> ((i - 1) * 8));
    }
  }

  /** Appends a 64-bit pattern as the unsigned integer it stands for. */
  MsgpackWriter unsigned(long value) {
    if (value >>> 7 == 0) {
      return put(value, 1);
    }
    if (value >>> 8 == 0) {
      return put(0xcc, 1).put(value, 1);
    }
    if (value >>> 16 == 0) {
      return put(0xcd, 1).put(value, 2);
    }
    return value >>> 32 == 0 ? put(0xce, 1).put(value, 4) : put(0xcf, 1).put(value, 8);
  }

  /** Appends a 64-bit pattern in nine bytes, however small it is. */
  MsgpackWriter wide(long value) {
    return put(0xcf, 1).put(value, 8);
  }

  /** Appends a number below zero in its shortest form, any other as {@link #unsigned}. */
  MsgpackWriter signed(long value) {
    if (value >= 0) {
      return unsigned(value);
    }
    if (value >= -32) {
      return put(value, 1);
    }
    if (value >= Byte.MIN_VALUE) {
      return put(0xd0, 1).put(value, 1);
    }
    if (value >= Short.MIN_VALUE) {
      return put(0xd1, 1).put(value, 2);
    }
    return value >= Integer.MIN_VALUE ? put(0xd2, 1).put(value, 4) : put(0xd3, 1).put(value, 8);
  }

  MsgpackWriter bool(boolean value) {
    return put(value ? 0xc3 : 0xc2, 1);
  }

  MsgpackWriter float64(double value) {
    return put(0xcb, 1).put(Double.doubleToRawLongBits(value), 8);
  }

  MsgpackWriter binary(byte[] value) {
    if (value.length < 1 << 8) {
      put(0xc4, 1).put(value.length, 1);
    } else if (value.length < 1 << 16) {
      put(0xc5, 1).put(value.length, 2);
    } else {
      put(0xc6, 1).put(value.length, 4);
    }
    return raw(value);
  }

  /** Appends bytes that are values already. */
  MsgpackWriter raw(byte[] value) {
    reserve(value.length);
    System.arraycopy(value, 0, bytes, size, value.length);
    size += value.length;
    return this;
  }

  MsgpackWriter string(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    if (utf8.length < 32) {
      put(0xa0 | utf8.length, 1);
    } else if (utf8.length < 1 << 8) {
      put(0xd9, 1).put(utf8.length, 1);
    } else if (utf8.length < 1 << 16) {
      put(0xda, 1).put(utf8.length, 2);
    } else {
      put(0xdb, 1).put(utf8.length, 4);
    }
    return raw(utf8);
  }

  private MsgpackWriter put(long value, int width) {
    reserve(width);
    for (int shift = (width - 1) * 8; shift >= 0; shift -= 8) {
      bytes[size++] = (byte) (value >>> shift);
    }
    return this;
  }

  private void reserve(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
    }
  }
}
