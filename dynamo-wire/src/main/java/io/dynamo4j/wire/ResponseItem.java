// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.wire.WireFormatException.Reason;

/** The body of one frame of an answer: an item, or the mark that the answer is whole. */
public final class ResponseItem {
  private static final WireNames KEYS = WireNames.of("data", "complete_final");

  private final byte[] bytes;
  private final int dataStart;
  private final int dataEnd;
  private final boolean isFinal;

  private ResponseItem(byte[] bytes, int dataStart, int dataEnd, boolean isFinal) {
    this.bytes = bytes;
    this.dataStart = dataStart;
    this.dataEnd = dataEnd;
    this.isFinal = isFinal;
  }

  /**
   * Reads the body of a frame.
   *
   * @throws WireFormatException if it is no map, or is neither an item nor final
   */
  public static ResponseItem decode(byte[] msgpack) {
    MsgpackReader in = MsgpackReader.of(msgpack);
    int start = -1;
    int end = -1;
    boolean isFinal = false;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(KEYS)) {
        case "data" -> {
          if (!in.tryNil()) {
            start = in.position();
            in.skip();
            end = in.position();
          }
        }
        case "complete_final" -> isFinal = in.readBoolean();
        default -> in.skip();
      }
    }
    if (in.hasRemaining()) {
      throw in.fault(Reason.TRAILING_BYTES, "item");
    }
    if (start < 0 && !isFinal) {
      throw in.fault(Reason.MALFORMED, "frame without item or end");
    }
    return new ResponseItem(msgpack, start, end, isFinal);
  }

  /** Returns the MessagePack that holds the item; not a copy. */
  public byte[] bytes() {
    return bytes;
  }

  public boolean hasData() {
    return dataStart >= 0;
  }

  /** Returns where the item begins, -1 if the frame has none. */
  public int dataStart() {
    return dataStart;
  }

  /** Returns where the item ends. */
  public int dataEnd() {
    return dataEnd;
  }

  /** Returns whether the answer is whole after it. */
  public boolean isFinal() {
    return isFinal;
  }

  /** Returns a frame's body around an item, MessagePack both. */
  public static byte[] encode(byte[] data) {
    return MsgpackWriter.ofExpectedSize(data.length + 32)
        .map(2)
        .string("data")
        .raw(data)
        .string("complete_final")
        .bool(false)
        .toByteArray();
  }

  /** Returns the body of the last frame. */
  public static byte[] encodeFinal() {
    return MsgpackWriter.ofExpectedSize(32)
        .map(1)
        .string("complete_final")
        .bool(true)
        .toByteArray();
  }
}
