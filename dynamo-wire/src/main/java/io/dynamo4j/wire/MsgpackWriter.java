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
    reserve(utf8.length);
    System.arraycopy(utf8, 0, bytes, size, utf8.length);
    size += utf8.length;
    return this;
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
