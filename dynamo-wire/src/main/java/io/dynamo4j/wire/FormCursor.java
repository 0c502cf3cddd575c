// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import java.util.Arrays;

/**
 * Cursor of a reader that knows the very bytes in which a peer writes: it compares where a decoder
 * looks names up, and says no to whatever is otherwise, which is then read by a decoder of every
 * form. Never reads behind its end.
 */
abstract class FormCursor {
  static final int WIDE_NUMBER = 1 + Long.BYTES;
  private static final int NIL = 0xc0;

  /** A code that nothing has. */
  private static final int NOTHING = 0xc1;

  byte[] bytes;
  int end;
  int at;

  /** What {@link #passNumber} has read. */
  long number;

  FormCursor(byte[] bytes, int end) {
    this.bytes = bytes;
    this.end = end;
  }

  /** Returns a writer of what is to be compared with. */
  static MsgpackWriter form() {
    return MsgpackWriter.ofExpectedSize(64);
  }

  /** Passes over these bytes if they come next. */
  final boolean pass(byte[] form) {
    int behind = at + form.length;
    boolean isHere = behind <= end && Arrays.equals(form, 0, form.length, bytes, at, behind);
    at = isHere ? behind : at;
    return isHere;
  }

  /** Compares 8 to 16 bytes by two words that may overlap; they must be at hand. */
  final boolean isHere(byte[] form) {
    int last = form.length - Long.BYTES;
    return MsgpackForms.bits64(bytes, at) == MsgpackForms.bits64(form, 0)
        && MsgpackForms.bits64(bytes, at + last) == MsgpackForms.bits64(form, last);
  }

  private int code() {
    return at < end ? bytes[at] & 0xff : NOTHING;
  }

  final boolean passNil() {
    boolean isNil = code() == NIL;
    at += isNil ? 1 : 0;
    return isNil;
  }

  /** Reads an unsigned number of any width into {@link #number}; something stands before it. */
  final boolean passNumber() {
    int code = code();
    if (code == 0xcf && end - at >= WIDE_NUMBER) {
      number = MsgpackForms.bits64(bytes, at + 1);
      at += WIDE_NUMBER;
      return true;
    }
    int size = MsgpackForms.unsigned32Bytes(code);
    if (size == 0 || size > end - at) {
      return false;
    }
    at += size;
    number = Integer.toUnsignedLong(MsgpackForms.unsigned32(bytes, at, code));
    return true;
  }

  /** Reads unsigned numbers of up to 32 bits; at least four bytes stand before them. */
  final boolean passNumbers32(int[] out, int from, int count) {
    int here = at;
    for (int i = from; i < from + count; i++) {
      int code = here < end ? bytes[here] & 0xff : NOTHING;
      int behind = here + MsgpackForms.unsigned32Bytes(code);
      if (behind == here || behind > end) {
        return false;
      }
      out[i] = MsgpackForms.unsigned32(bytes, behind, code);
      here = behind;
    }
    at = here;
    return true;
  }

  /**
   * Passes over an array's header; returns its count, -1 if there is none, it is beyond {@link
   * WireLimits#MAX_ITEMS}, or the bytes at hand are too few for it.
   */
  final int passCount(int leastBytesEach) {
    int code = code();
    int headerBytes = code >> 4 == 0x9 ? 1 : code == 0xdc ? 3 : code == 0xdd ? 5 : 0;
    if (headerBytes == 0 || headerBytes > end - at) {
      return -1;
    }
    long count = headerBytes == 1 ? code & 0xf : 0;
    for (int i = 1; i < headerBytes; i++) {
      count = (count << 8) | (bytes[at + i] & 0xff);
    }
    at += headerBytes;
    return count > WireLimits.MAX_ITEMS || count * leastBytesEach > end - at ? -1 : (int) count;
  }
}
