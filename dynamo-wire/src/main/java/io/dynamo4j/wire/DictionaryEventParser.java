// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.wire.EngineEvent.Kind;
import io.dynamo4j.wire.EngineEvent.SaltSource;
import io.dynamo4j.wire.WireFormatException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * Reads the {@code data} of TensorRT-LLM's event dictionaries: blocks that list their own tokens.
 */
final class DictionaryEventParser {
  private static final WireNames KEYS =
      WireNames.of("type", "parent_hash", "blocks", "block_hashes", "layer_group_id");
  private static final WireNames TYPES = WireNames.of("stored", "removed", "created", "updated");
  private static final WireNames BLOCK_KEYS =
      WireNames.of("block_hash", "tokens", "mm_keys", "lora_id", "cache_salt");
  private static final WireNames ITEM_KEYS = WireNames.of("token_id", "hash");

  private final EngineEvent event;
  private final EngineFields fields;

  DictionaryEventParser(EngineEvent event, EngineFields fields) {
    this.event = event;
    this.fields = fields;
  }

  /** Reads the dictionary that comes next and returns why it cannot be used, null if it can. */
  @Nullable EngineFault parse(MsgpackReader in) {
    EngineFault fault = EngineFault.NOT_AN_EVENT;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(KEYS)) {
        case "type" -> fault = readType(in.readName(TYPES));
        case "parent_hash" -> fields.readParent(in);
        case "blocks" -> readBlocks(in);
        case "block_hashes" -> fields.readHashes(in);
        case "layer_group_id" -> event.groupIndex = fields.readCount(in);
        default -> in.skip();
      }
    }
    return fault;
  }

  private @Nullable EngineFault readType(String type) {
    switch (type) {
      case "stored" -> event.kind = Kind.STORED;
      case "removed" -> event.kind = Kind.REMOVED;
      case "created" -> event.kind = Kind.WINDOW;
      case "updated" -> event.kind = Kind.IGNORED;
      default -> {
        return EngineFault.UNKNOWN_TAG;
      }
    }
    return null;
  }

  private void readBlocks(MsgpackReader in) {
    int count = in.readArrayHeader();
    event.reserveHashes(count);
    event.reserveTokenEnds(count);
    event.startMedia(count);
    event.tokenCount = 0;
    for (int block = 0; block < count; block++) {
      event.startMediaBlock();
      readBlock(in, block);
      event.tokenEnds[block] = event.tokenCount;
      event.endMediaBlock();
    }
    event.hashCount = count;
    event.hasHashes = true;
    event.hasTokens = true;
    event.hasTokenEnds = true;
  }

  private void readBlock(MsgpackReader in, int block) {
    boolean hasHash = false;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(BLOCK_KEYS)) {
        case "block_hash" -> {
          event.hashes[block] = fields.readHash(in);
          hasHash = true;
        }
        case "tokens" -> readTokens(in);
        case "mm_keys" -> readMedia(in);
        case "lora_id" -> fields.readLoraId(in);
        case "cache_salt" -> fields.offerSalt(SaltSource.DECLARED, fields.readText(in));
        default -> in.skip();
      }
    }
    if (!hasHash) {
      throw in.fault(Reason.MALFORMED, "block without hash");
    }
  }

  private void readTokens(MsgpackReader in) {
    int count = in.readArrayHeader();
    event.reserveTokens(event.tokenCount + count);
    for (int i = 0; i < count; i++) {
      event.tokens[event.tokenCount++] =
          in.nextKind() == MsgpackReader.Kind.MAP ? readTokenMap(in) : in.readBits32();
    }
  }

  private static int readTokenMap(MsgpackReader in) {
    int token = 0;
    boolean hasToken = false;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      if (in.readName(ITEM_KEYS).equals("token_id")) {
        token = in.readBits32();
        hasToken = true;
      } else {
        in.skip();
      }
    }
    if (!hasToken) {
      throw in.fault(Reason.MALFORMED, "token without id");
    }
    return token;
  }

  private void readMedia(MsgpackReader in) {
    int count = in.tryNil() ? 0 : in.readArrayHeader();
    for (int i = 0; i < count; i++) {
      int entries = in.readMapHeader();
      for (int entry = 0; entry < entries; entry++) {
        if (in.readName(ITEM_KEYS).equals("hash")) {
          int length = in.passString();
          event.addMedium(mediumHash(in, in.position() - length, length));
        } else {
          in.skip();
        }
      }
    }
  }

  /** The first sixteen digits of the key count. */
  private static long mediumHash(MsgpackReader in, int start, int length) {
    long hash = 0;
    for (int i = 0; i < Math.min(length, 16); i++) {
      int digit = Character.digit(in.bytes()[start + i], 16);
      if (digit < 0) {
        throw in.fault(Reason.MALFORMED, "medium key");
      }
      hash = hash << 4 | digit;
    }
    return hash;
  }
}
