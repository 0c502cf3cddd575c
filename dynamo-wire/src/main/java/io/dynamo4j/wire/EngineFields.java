// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.wire.EngineEvent.SaltSource;
import io.dynamo4j.wire.MsgpackReader.Kind;
import io.dynamo4j.wire.WireFormatException.Reason;
import org.jspecify.annotations.Nullable;

/** Reads single fields of an event into a view. */
final class EngineFields {
  private static final WireNames MEDIA_KEYS = WireNames.of("mm_objects", "mm_hash");

  /** Slots of the fixed tail: group, kind, window, locality, ownership. */
  private static final int TAIL_SLOTS = 5;

  private final EngineEvent event;

  EngineFields(EngineEvent event) {
    this.event = event;
  }

  /* --------------- Blocks --------------- */

  void readHashes(MsgpackReader in) {
    int count = in.readArrayHeader();
    event.reserveHashes(count);
    for (int i = 0; i < count; i++) {
      event.hashes[i] = readHash(in);
    }
    event.hashCount = count;
    event.hasHashes = true;
  }

  void readParent(MsgpackReader in) {
    event.hasParent = !in.tryNil();
    event.parentHash = event.hasParent ? readHash(in) : 0;
  }

  /** A number of either sign, or the bytes of a digest, of which the last eight count. */
  long readHash(MsgpackReader in) {
    return in.nextKind() == Kind.BINARY ? in.readBinaryTail64() : in.readBits64();
  }

  void readTokens(MsgpackReader in) {
    int count = in.readArrayHeader();
    event.hasTokens = true;
    event.pairs = count > 0 && in.nextKind() == Kind.ARRAY;
    event.tokenCount = 0;
    event.reserveTokens(event.pairs ? count + 1 : count);
    if (event.pairs) {
      readPairs(in, count);
    } else {
      readTokens(in, count);
    }
  }

  private void readTokens(MsgpackReader in, int count) {
    in.readBits32(event.tokens, count);
    event.tokenCount = count;
  }

  private void readPairs(MsgpackReader in, int count) {
    for (int i = 0; i < count; i++) {
      if (in.readArrayHeader() != 2) {
        throw in.fault(Reason.MALFORMED, "pair");
      }
      event.tokens[i] = in.readBits32();
      event.tokens[i + 1] = in.readBits32();
    }
    event.tokenCount = count + 1;
  }

  void readBlockSize(MsgpackReader in) {
    long size = readCount(in);
    if (size < 0 || size > Integer.MAX_VALUE) {
      throw in.fault(Reason.MALFORMED, "block size");
    }
    event.blockSize = (int) size;
    event.hasBlockSize = true;
  }

  /* --------------- Scalars --------------- */

  /** Reads a string or nil. */
  @Nullable String readText(MsgpackReader in) {
    return in.tryNil() ? null : in.readString();
  }

  /** Reads a number that is not below zero, or nil, for which it returns -1. */
  long readCount(MsgpackReader in) {
    if (in.tryNil()) {
      return -1;
    }
    long value = in.readBits64();
    if (value < 0) {
      throw in.fault(Reason.MALFORMED, "count");
    }
    return value;
  }

  void readRank(MsgpackReader in) {
    event.hasRank = !in.tryNil();
    if (event.hasRank) {
      event.dpRank = in.readBits32();
    }
  }

  /** Where slots have no names, nothing but a number or nil is taken for an adapter's number. */
  void readStrictLoraId(MsgpackReader in) {
    if (in.nextKind() != Kind.NIL && (in.nextKind() != Kind.INTEGER || in.nextIsNegative())) {
      throw in.fault(Reason.MALFORMED, "adapter number");
    }
    readLoraId(in);
  }

  /** Zero stands for no adapter. */
  void readLoraId(MsgpackReader in) {
    switch (in.nextKind()) {
      case NIL -> in.skip();
      case INTEGER -> {
        event.loraId = in.readBits64();
        event.hasLoraId |= event.loraId != 0;
      }
      default -> {
        in.skip();
        event.hasLoraId = true;
      }
    }
  }

  /** Takes a salt unless there is one from a better source. */
  void offerSalt(SaltSource source, @Nullable String salt) {
    boolean isBetter =
        event.saltSource == SaltSource.NONE || source.compareTo(event.saltSource) < 0;
    if (salt != null && !salt.isEmpty() && isBetter) {
      event.salt = salt;
      event.saltSource = source;
    }
  }

  /* --------------- Tail of lists --------------- */

  /** Reads what follows the named slots of a list and returns how many items that were. */
  int readTail(MsgpackReader in, int items) {
    if (items >= TAIL_SLOTS - 1 && hasFixedLayout(in, Math.min(items, TAIL_SLOTS))) {
      event.groupIndex = readCount(in);
      event.attentionKind = readText(in);
      event.window = readCount(in);
      event.locality = readText(in);
      if (items < TAIL_SLOTS) {
        return items;
      }
      event.ownership = readText(in);
      return TAIL_SLOTS;
    }
    for (int i = 0; i < items; i++) {
      readByType(in);
    }
    return items;
  }

  private static boolean hasFixedLayout(MsgpackReader in, int slots) {
    int start = in.position();
    boolean fits = true;
    for (int i = 0; i < slots && fits; i++) {
      Kind kind = in.nextKind();
      boolean isCount = kind == Kind.INTEGER && !in.nextIsNegative();
      boolean isCountSlot = i == 0 || i == 2;
      fits = kind == Kind.NIL || (isCountSlot ? isCount : kind == Kind.STRING);
      in.skip();
    }
    in.seek(start);
    return fits;
  }

  /** Older writers leave slots out: the first number is the group, the second the window. */
  private void readByType(MsgpackReader in) {
    Kind kind = in.nextKind();
    if (kind == Kind.INTEGER && !in.nextIsNegative() && event.groupIndex < 0) {
      event.groupIndex = readCount(in);
    } else if (kind == Kind.INTEGER && !in.nextIsNegative() && event.window < 0) {
      event.window = readCount(in);
    } else if (kind == Kind.STRING && event.attentionKind == null) {
      event.attentionKind = in.readString();
    } else if (kind == Kind.ARRAY && event.mediaBlocks == 0) {
      readMedia(in);
    } else {
      in.skip();
    }
  }

  /* --------------- Media --------------- */

  /** Reads a list with nil or {@code {mm_objects: [{mm_hash, …}]}} for each block. */
  void readMedia(MsgpackReader in) {
    if (in.tryNil()) {
      return;
    }
    int blocks = in.readArrayHeader();
    event.startMedia(blocks);
    for (int block = 0; block < blocks; block++) {
      event.startMediaBlock();
      if (!in.tryNil()) {
        readMediaOfBlock(in);
      }
      event.endMediaBlock();
    }
  }

  private void readMediaOfBlock(MsgpackReader in) {
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      if (!in.readName(MEDIA_KEYS).equals("mm_objects")) {
        in.skip();
        continue;
      }
      int objects = in.readArrayHeader();
      for (int object = 0; object < objects; object++) {
        readMediaObject(in);
      }
    }
  }

  private void readMediaObject(MsgpackReader in) {
    boolean hasHash = false;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      if (in.readName(MEDIA_KEYS).equals("mm_hash")) {
        event.addMedium(in.readBits64());
        hasHash = true;
      } else {
        in.skip();
      }
    }
    if (!hasHash) {
      throw in.fault(Reason.MALFORMED, "medium without hash");
    }
  }
}
