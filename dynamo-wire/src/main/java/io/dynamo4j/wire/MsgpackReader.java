// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.wire.WireFormatException.Reason;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Cursor over MessagePack bytes of a stranger.
 *
 * <p>Every length is checked against the bytes that are left before it is believed, so that no
 * declared length makes memory. Skipping is iterative: nesting costs no stack.
 *
 * <p><b>Source.</b> MessagePack specification,
 * https://github.com/msgpack/msgpack/blob/master/spec.md
 */
final class MsgpackReader {

  /** Kinds of value that a decoder tells apart. */
  enum Kind {
    NIL,
    BOOLEAN,
    INTEGER,
    FLOAT,
    STRING,
    BINARY,
    ARRAY,
    MAP,
    EXTENSION
  }

  private final byte[] bytes;
  private final int end;
  private int position;

  /** Where the longest container directly inside of the value last measured starts and ends. */
  private int measuredStart = -1;

  private int measuredEnd = -1;

  /** What the measuring walk has read on its way. */
  private @Nullable NotedIntegers noted;

  private MsgpackReader(byte[] bytes, int start, int end) {
    this.bytes = bytes;
    this.position = start;
    this.end = end;
  }

  static MsgpackReader of(byte[] bytes) {
    return new MsgpackReader(bytes, 0, bytes.length);
  }

  /** Returns a cursor over a part of the same bytes. */
  MsgpackReader slice(int start, int sliceEnd) {
    return new MsgpackReader(bytes, start, sliceEnd);
  }

  /** Returns what reads events of the usual form from the same bytes. */
  UsualEventForm usualEvents() {
    return new UsualEventForm(bytes, end);
  }

  int position() {
    return position;
  }

  /** Moves to a position that this cursor has been at. */
  void seek(int known) {
    position = known;
  }

  boolean hasRemaining() {
    return position < end;
  }

  /** Returns the kind of the next value without consuming it. */
  Kind nextKind() {
    int code = peek();
    if (code <= 0x7f || code >= 0xe0) {
      return Kind.INTEGER;
    }
    if (code <= 0x8f) {
      return Kind.MAP;
    }
    if (code <= 0x9f) {
      return Kind.ARRAY;
    }
    return code <= 0xbf ? Kind.STRING : kindOfTyped(code);
  }

  private Kind kindOfTyped(int code) {
    return switch (code) {
      case 0xc0 -> Kind.NIL;
      case 0xc2, 0xc3 -> Kind.BOOLEAN;
      case 0xc4, 0xc5, 0xc6 -> Kind.BINARY;
      case 0xca, 0xcb -> Kind.FLOAT;
      case 0xcc, 0xcd, 0xce, 0xcf, 0xd0, 0xd1, 0xd2, 0xd3 -> Kind.INTEGER;
      case 0xc7, 0xc8, 0xc9, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8 -> Kind.EXTENSION;
      case 0xd9, 0xda, 0xdb -> Kind.STRING;
      case 0xdc, 0xdd -> Kind.ARRAY;
      case 0xde, 0xdf -> Kind.MAP;
      default -> throw fault(Reason.MALFORMED, "unused code " + code);
    };
  }

  /** Consumes a nil if one is next. */
  boolean tryNil() {
    if (peek() != 0xc0) {
      return false;
    }
    position++;
    return true;
  }

  /** Reads an unsigned 64-bit integer as its bit pattern; negative ones keep their pattern too. */
  long readBits64() {
    int code = take();
    if (code <= 0x7f || code >= 0xe0) {
      return (byte) code;
    }
    return switch (code) {
      case 0xcc -> unsigned(1);
      case 0xcd -> unsigned(2);
      case 0xce -> unsigned(4);
      case 0xcf, 0xd3 -> MsgpackForms.bits64(bytes, advance(8));
      case 0xd0 -> (byte) unsigned(1);
      case 0xd1 -> (short) unsigned(2);
      case 0xd2 -> (int) unsigned(4);
      default -> throw fault(Reason.MALFORMED, "integer");
    };
  }

  /** Returns whether an integer comes next whose value is below zero. */
  boolean nextIsNegative() {
    int code = peek();
    return code >= 0xe0
        || (code >= 0xd0 && code <= 0xd3 && position + 1 < end && bytes[position + 1] < 0);
  }

  /**
   * Reads a binary value and returns its last eight bytes, big-endian; fewer count as leading 0s.
   */
  long readBinaryTail64() {
    long length = binaryLength();
    if (length == 0) {
      throw fault(Reason.MALFORMED, "empty binary");
    }
    advance(length);
    long value = 0;
    for (int i = position - (int) Math.min(length, 8); i < position; i++) {
      value = (value << 8) | (bytes[i] & 0xff);
    }
    return value;
  }

  /** Reads an unsigned 32-bit integer as its bit pattern. */
  int readBits32() {
    long value = readBits64();
    if (value >>> 32 != 0) {
      throw fault(Reason.MALFORMED, "32-bit integer");
    }
    return (int) value;
  }

  /** Reads unsigned 32-bit integers as their bit patterns into the first {@code count} places. */
  void readBits32(int[] out, int count) {
    int behind = noted == null ? -1 : noted.copy(position, out, count);
    int read = behind < 0 ? 0 : count;
    position = behind < 0 ? position : behind;
    while (read < count) {
      read = readShortBits32(out, read, count);
      if (read < count) {
        out[read++] = readBits32();
      }
    }
  }

  /**
   * Reads unsigned integers in their usual forms as long as there are such, without a branch on the
   * form: widths of token ids are as good as random.
   */
  private int readShortBits32(int[] out, int from, int count) {
    int at = position;
    int i = from;
    while (i < count && at < end) {
      int code = bytes[at] & 0xff;
      int next = at + MsgpackForms.unsigned32Bytes(code);
      if (next == at || next > end || next < Integer.BYTES) {
        break;
      }
      out[i++] = MsgpackForms.unsigned32(bytes, next, code);
      at = next;
    }
    position = at;
    return i;
  }

  /** Reads an array header; each item takes at least one byte, so the count is bounded by them. */
  int readArrayHeader() {
    int code = take();
    return switch (code) {
      case 0xdc -> count(unsigned(2), 1);
      case 0xdd -> count(unsigned(4), 1);
      default -> {
        if (code >> 4 != 0x9) {
          throw fault(Reason.MALFORMED, "array");
        }
        yield count(code & 0xf, 1);
      }
    };
  }

  /** Reads a map header and returns the number of entries. */
  int readMapHeader() {
    int code = take();
    return switch (code) {
      case 0xde -> count(unsigned(2), 2);
      case 0xdf -> count(unsigned(4), 2);
      default -> {
        if (code >> 4 != 0x8) {
          throw fault(Reason.MALFORMED, "map");
        }
        yield count(code & 0xf, 2);
      }
    };
  }

  private int count(long declared, int bytesEach) {
    if (declared > WireLimits.MAX_ITEMS) {
      throw fault(Reason.TOO_LARGE, "items " + declared);
    }
    if (declared * bytesEach > end - position) {
      throw fault(Reason.TRUNCATED, "items " + declared);
    }
    return (int) declared;
  }

  /** Reads a string of at most {@link WireLimits#MAX_STRING_BYTES}. */
  String readString() {
    int length = passString();
    return new String(bytes, position - length, length, StandardCharsets.UTF_8);
  }

  /** Reads a string and returns it if it is a known name, {@link WireNames#OTHER} if not. */
  String readName(WireNames names) {
    int length = passString();
    return names.find(bytes, position - length, length);
  }

  /** Passes over a string and returns its length in bytes: they end where the cursor is then. */
  int passString() {
    int code = take();
    long length =
        switch (code) {
          case 0xd9 -> unsigned(1);
          case 0xda -> unsigned(2);
          case 0xdb -> unsigned(4);
          default -> {
            if (code >> 5 != 0x5) {
              throw fault(Reason.MALFORMED, "string");
            }
            yield code & 0x1f;
          }
        };
    if (length > WireLimits.MAX_STRING_BYTES) {
      throw fault(Reason.TOO_LARGE, "string bytes " + length);
    }
    advance(length);
    return (int) length;
  }

  /** Reads a binary value of at most {@link WireLimits#MAX_FRAME_BYTES}. */
  byte[] readBinary() {
    return Arrays.copyOfRange(bytes, advance(binaryLength()), position);
  }

  private long binaryLength() {
    return switch (take()) {
      case 0xc4 -> unsigned(1);
      case 0xc5 -> unsigned(2);
      case 0xc6 -> unsigned(4);
      default -> throw fault(Reason.MALFORMED, "binary");
    };
  }

  /** Reads a floating-point number of either width. */
  double readDouble() {
    return switch (take()) {
      case 0xca -> Float.intBitsToFloat((int) unsigned(4));
      case 0xcb -> Double.longBitsToDouble(unsigned(8));
      default -> throw fault(Reason.MALFORMED, "floating-point number");
    };
  }

  boolean readBoolean() {
    int code = take();
    if (code != 0xc2 && code != 0xc3) {
      throw fault(Reason.MALFORMED, "boolean");
    }
    return code == 0xc3;
  }

  /** Returns the bytes that the cursor runs over; not to be modified. */
  byte[] bytes() {
    return bytes;
  }

  /**
   * Passes over one value of any kind and depth. Limits other than the bytes at hand are not looked
   * at: what is skipped costs no memory.
   */
  void skip() {
    if (position == measuredStart) {
      position = measuredEnd; // As the walk that has been made.
      return;
    }
    for (long open = skipScalars(1); open > 0; open = skipScalars(open)) {
      // Each open value needs a byte: a forged count ends the walk here, not after 2^32 turns.
      if (open > end - position) {
        throw fault(Reason.TRUNCATED, "values " + open);
      }
      open += skipHead() - 1;
    }
  }

  /** Passes over whole scalars whose code tells their size, and returns how many values remain. */
  private long skipScalars(long values) {
    int at = position;
    long open = values;
    while (open > 0 && at < end) {
      int size = MsgpackForms.scalarBytes(bytes[at] & 0xff);
      if (size == 0 || size > end - at) {
        break;
      }
      at += size;
      open--;
    }
    position = at;
    return open;
  }

  /** Measures as {@link #depth()}, and notes what it reads on its way for whoever reads it next. */
  int depth(NotedIntegers notes) {
    noted = notes;
    notes.clear();
    return measure(notes);
  }

  /**
   * Returns how deep the next value nests: 0 for a scalar. Consumes nothing, but remembers the way
   * over the longest part.
   *
   * @throws WireFormatException {@code TOO_DEEP} beyond {@link WireLimits#MAX_DEPTH}
   */
  int depth() {
    return measure(null);
  }

  private int measure(@Nullable NotedIntegers notes) {
    int start = position;
    long[] open = new long[WireLimits.MAX_DEPTH + 1];
    int level = 0;
    int deepest = 0;
    int partStart = start;
    open[0] = 1;
    while (level >= 0) {
      open[level] = skipScalars(open[level]);
      if (open[level] == 0) {
        if (level == 2) {
          rememberPart(partStart);
        }
        level--;
        continue;
      }
      open[level]--;
      if (level == 1) {
        partStart = position;
      }
      Kind kind = nextKind();
      long items = skipHead();
      if (kind == Kind.ARRAY || kind == Kind.MAP) {
        if (++level > WireLimits.MAX_DEPTH) {
          throw fault(Reason.TOO_DEEP, "nesting");
        }
        deepest = Math.max(deepest, level);
        open[level] = notes == null ? items : items - note(items, notes);
      }
    }
    position = start;
    return deepest;
  }

  /** Reads integers that come next as long as they are short ones, and returns how many. */
  private int note(long items, NotedIntegers notes) {
    if (!notes.wants(items) || items > end - position) {
      return 0;
    }
    int start = position;
    int from = notes.used();
    int[] out = notes.reserve((int) items);
    int read = readShortBits32(out, from, from + (int) items) - from;
    if (read == items) {
      notes.add(start, position, read);
    }
    return read;
  }

  private void rememberPart(int start) {
    if (position - start > measuredEnd - measuredStart) {
      measuredStart = start;
      measuredEnd = position;
    }
  }

  /** Passes over a scalar, or over the header of a container, and returns its direct values. */
  private long skipHead() {
    int code = take();
    int scalarBytes = MsgpackForms.scalarBytes(code);
    if (scalarBytes > 0) {
      advance(scalarBytes - 1);
      return 0;
    }
    if (code <= 0x8f) {
      return 2L * (code & 0xf);
    }
    return code <= 0x9f ? code & 0xf : skipTyped(code);
  }

  private long skipTyped(int code) {
    switch (code) {
      case 0xc4, 0xd9 -> advance(unsigned(1));
      case 0xc5, 0xda -> advance(unsigned(2));
      case 0xc6, 0xdb -> advance(unsigned(4));
      case 0xc7 -> advance(unsigned(1) + 1);
      case 0xc8 -> advance(unsigned(2) + 1);
      case 0xc9 -> advance(unsigned(4) + 1);
      case 0xd4 -> advance(2);
      case 0xd5 -> advance(3);
      case 0xd6 -> advance(5);
      case 0xd7 -> advance(9);
      case 0xd8 -> advance(17);
      case 0xdc -> {
        return unsigned(2);
      }
      case 0xdd -> {
        return unsigned(4);
      }
      case 0xde -> {
        return 2 * unsigned(2);
      }
      case 0xdf -> {
        return 2 * unsigned(4);
      }
      default -> throw fault(Reason.MALFORMED, "unused code " + code);
    }
    return 0;
  }

  private int peek() {
    if (position >= end) {
      throw fault(Reason.TRUNCATED, "value");
    }
    return bytes[position] & 0xff;
  }

  private int take() {
    int code = peek();
    position++;
    return code;
  }

  /** Moves on and returns where it was; refuses to pass the end. */
  private int advance(long length) {
    if (length > end - position) {
      throw fault(Reason.TRUNCATED, "bytes " + length);
    }
    int start = position;
    position += (int) length;
    return start;
  }

  private long unsigned(int width) {
    int start = advance(width);
    long value = 0;
    for (int i = 0; i < width; i++) {
      value = (value << 8) | (bytes[start + i] & 0xff);
    }
    return value;
  }

  WireFormatException fault(Reason reason, String what) {
    return new WireFormatException(reason, what, position);
  }
}
