// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.snapshot;

import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Objects;

/** Bytes that come in pieces and never waits for more; what has been read is let go. */
final class PieceInput extends InputStream {
  private final ArrayDeque<byte[]> pieces = new ArrayDeque<>();
  private int at; // in the first piece
  private int available;
  private boolean ended;

  /** Adds what comes next, which nobody changes any more. */
  void add(byte[] piece) {
    if (piece.length > 0) {
      pieces.add(piece);
      available += piece.length;
    }
  }

  /** Says that nothing more comes. */
  void end() {
    ended = true;
  }

  boolean isEnded() {
    return ended;
  }

  @Override
  public int available() {
    return available;
  }

  /** Returns the next four bytes as a number, which stay; there are that many. */
  int peekInt() {
    int value = 0;
    int position = at;
    int seen = 0;
    for (byte[] piece : pieces) {
      while (position < piece.length && seen < 4) {
        value = value << 8 | (piece[position++] & 0xff);
        seen++;
      }
      position = 0;
    }
    return value;
  }

  @Override
  public int read() {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] to, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, to.length);
    byte[] piece = pieces.peek();
    if (piece == null) {
      return -1;
    }
    int count = Math.min(length, piece.length - at);
    System.arraycopy(piece, at, to, offset, count);
    at += count;
    available -= count;
    if (at == piece.length) {
      pieces.remove();
      at = 0;
    }
    return count;
  }
}
