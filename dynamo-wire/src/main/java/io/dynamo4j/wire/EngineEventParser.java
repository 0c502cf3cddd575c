// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.wire.EngineEvent.Kind;
import io.dynamo4j.wire.EngineEvent.SaltSource;
import io.dynamo4j.wire.WireFormatException.Reason;
import org.jspecify.annotations.Nullable;

/** Reads one event, list or map, into a view. */
final class EngineEventParser {
  private static final WireNames TAGS =
      WireNames.of("BlockStored", "BlockRemoved", "AllBlocksCleared", "Ignored");

  private static final WireNames KEYS =
      WireNames.of(
          "type",
          "block_hashes",
          "parent_block_hash",
          "token_ids",
          "block_size",
          "lora_id",
          "medium",
          "lora_name",
          "extra_keys",
          "group_idx",
          "kv_cache_spec_kind",
          "kv_cache_spec_sliding_window",
          "locality",
          "ownership",
          "cache_salt",
          "metadata",
          "block_mm_infos",
          "data",
          "window_size",
          "attention_dp_rank",
          "layer_group_id");

  private static final WireNames SALT_KEY = WireNames.of("cache_salt");

  private final EngineEvent event;
  private final EngineFields fields;
  private final EngineExtraKeys extraKeys;
  private final DictionaryEventParser dictionary;

  /** What a failure now would be. */
  private EngineFault reading = EngineFault.NOT_AN_EVENT;

  private int extraKeysAt;
  private int dictionaryAt;

  EngineEventParser(EngineEvent event) {
    this.event = event;
    this.fields = new EngineFields(event);
    this.extraKeys = new EngineExtraKeys(event);
    this.dictionary = new DictionaryEventParser(event, fields);
  }

  /** Reads the next value; after a fault the cursor may be anywhere inside of it. */
  @Nullable EngineFault parse(MsgpackReader in) {
    event.reset();
    extraKeysAt = -1;
    dictionaryAt = -1;
    reading = EngineFault.NOT_AN_EVENT;
    try {
      EngineFault fault =
          switch (in.nextKind()) {
            case ARRAY -> parseList(in);
            case MAP -> parseMap(in);
            default -> EngineFault.NOT_AN_EVENT;
          };
      return fault != null ? fault : complete(in);
    } catch (WireFormatException e) {
      return e.reason() == Reason.TOO_LARGE ? EngineFault.TOO_LARGE : reading;
    }
  }

  /* --------------- Lists --------------- */

  private @Nullable EngineFault parseList(MsgpackReader in) {
    int items = in.readArrayHeader();
    if (items == 0 || in.nextKind() != MsgpackReader.Kind.STRING) {
      return EngineFault.NOT_AN_EVENT;
    }
    if (!takeTag(in.readName(TAGS))) {
      return EngineFault.UNKNOWN_TAG;
    }
    int read =
        switch (event.kind) {
          case STORED -> readStoredSlots(in, items);
          case REMOVED -> readRemovedSlots(in, items);
          case CLEARED -> readClearedSlots(in, items);
          case WINDOW, IGNORED -> 1;
        };
    for (int i = read; i < items; i++) {
      in.skip();
    }
    return null;
  }

  private int readStoredSlots(MsgpackReader in, int items) {
    int at = 1;
    if (at < items) {
      readHashes(in);
      at++;
    }
    if (at < items) {
      readParent(in);
      at++;
    }
    if (at < items) {
      readTokens(in);
      at++;
    }
    if (at < items) {
      readBlockSize(in);
      at++;
    }
    return at == 5 ? readStoredOptions(in, items) : at;
  }

  private int readStoredOptions(MsgpackReader in, int items) {
    reading = EngineFault.BAD_FIELD;
    if (items > 5) {
      fields.readStrictLoraId(in);
    }
    if (items > 6) {
      event.medium = fields.readText(in);
    }
    if (items > 7) {
      readNameOrMetadata(in);
    }
    if (items > 8) {
      noteExtraKeys(in);
    }
    return items > 9 ? 9 + readTail(in, items - 9) : Math.min(items, 9);
  }

  /** SGLang builds put a map where vLLM has the name of an adapter. */
  private void readNameOrMetadata(MsgpackReader in) {
    if (in.nextKind() == MsgpackReader.Kind.MAP) {
      readSalt(in, SaltSource.DECLARED);
    } else {
      event.loraName = fields.readText(in);
    }
  }

  private int readRemovedSlots(MsgpackReader in, int items) {
    if (items > 1) {
      readHashes(in);
    }
    reading = EngineFault.BAD_FIELD;
    if (items > 2) {
      event.medium = fields.readText(in);
    }
    return items > 3 ? 3 + readTail(in, items - 3) : items;
  }

  private int readClearedSlots(MsgpackReader in, int items) {
    reading = EngineFault.BAD_FIELD;
    if (items > 1) {
      event.ownership = fields.readText(in);
    }
    return Math.min(items, 2);
  }

  private int readTail(MsgpackReader in, int items) {
    reading = EngineFault.BAD_MEDIA;
    return fields.readTail(in, items);
  }

  /* --------------- Maps --------------- */

  private @Nullable EngineFault parseMap(MsgpackReader in) {
    EngineFault fault = EngineFault.NOT_AN_EVENT;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      reading = EngineFault.NOT_AN_EVENT;
      String key = in.readName(KEYS);
      if (key.equals("type")) {
        fault = takeTag(in.readName(TAGS)) ? null : EngineFault.UNKNOWN_TAG;
      } else {
        readField(in, key);
      }
    }
    // A dictionary is one only if nothing else says what the map is.
    return fault == EngineFault.NOT_AN_EVENT && dictionaryAt >= 0 ? readDictionary(in) : fault;
  }

  private @Nullable EngineFault readDictionary(MsgpackReader in) {
    int end = in.position();
    in.seek(dictionaryAt);
    reading = EngineFault.BAD_FIELD;
    EngineFault fault = dictionary.parse(in);
    in.seek(end);
    event.dictionary = true;
    return fault;
  }

  private boolean takeTag(String tag) {
    switch (tag) {
      case "BlockStored" -> event.kind = Kind.STORED;
      case "BlockRemoved" -> event.kind = Kind.REMOVED;
      case "AllBlocksCleared" -> event.kind = Kind.CLEARED;
      case "Ignored" -> event.kind = Kind.IGNORED;
      default -> {
        return false;
      }
    }
    return true;
  }

  private void readField(MsgpackReader in, String key) {
    reading = EngineFault.BAD_FIELD;
    switch (key) {
      case "block_hashes" -> readHashes(in);
      case "parent_block_hash" -> readParent(in);
      case "token_ids" -> readTokens(in);
      case "block_size" -> readBlockSize(in);
      case "lora_id" -> fields.readLoraId(in);
      case "medium" -> event.medium = fields.readText(in);
      case "lora_name" -> event.loraName = fields.readText(in);
      case "extra_keys" -> noteExtraKeys(in);
      case "group_idx", "layer_group_id" -> event.groupIndex = fields.readCount(in);
      case "kv_cache_spec_kind" -> event.attentionKind = fields.readText(in);
      case "kv_cache_spec_sliding_window", "window_size" -> event.window = fields.readCount(in);
      case "locality" -> event.locality = fields.readText(in);
      case "ownership" -> event.ownership = fields.readText(in);
      case "cache_salt" -> fields.offerSalt(SaltSource.DECLARED, fields.readText(in));
      case "metadata" -> readMetadata(in);
      case "block_mm_infos" -> readMedia(in);
      case "attention_dp_rank" -> fields.readRank(in);
      case "data" -> noteDictionary(in);
      default -> in.skip();
    }
  }

  private void readMetadata(MsgpackReader in) {
    if (in.nextKind() == MsgpackReader.Kind.MAP) {
      readSalt(in, SaltSource.NESTED);
    } else {
      in.skip();
    }
  }

  private void readSalt(MsgpackReader in, SaltSource source) {
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      if (in.nextKind() == MsgpackReader.Kind.STRING
          && in.readName(SALT_KEY).equals("cache_salt")) {
        fields.offerSalt(source, fields.readText(in));
      } else {
        in.skip();
      }
    }
  }

  /* --------------- Both --------------- */

  private void readHashes(MsgpackReader in) {
    reading = EngineFault.BAD_HASH;
    fields.readHashes(in);
  }

  private void readParent(MsgpackReader in) {
    reading = EngineFault.BAD_HASH;
    fields.readParent(in);
  }

  private void readTokens(MsgpackReader in) {
    reading = EngineFault.BAD_TOKENS;
    fields.readTokens(in);
  }

  private void readBlockSize(MsgpackReader in) {
    reading = EngineFault.BAD_FIELD;
    fields.readBlockSize(in);
  }

  private void readMedia(MsgpackReader in) {
    reading = EngineFault.BAD_MEDIA;
    fields.readMedia(in);
  }

  /** Remembers where the keys are: what they mean hangs on fields that may come later. */
  private void noteExtraKeys(MsgpackReader in) {
    extraKeysAt = in.position();
    in.skip();
  }

  private void noteDictionary(MsgpackReader in) {
    dictionaryAt = in.position();
    in.skip();
  }

  private @Nullable EngineFault complete(MsgpackReader in) {
    if (event.kind == Kind.STORED) {
      if (!event.hasHashes || !event.hasTokens || !(event.hasBlockSize || event.hasTokenEnds)) {
        return EngineFault.MISSING_FIELD;
      }
      if (extraKeysAt >= 0) {
        int end = in.position();
        in.seek(extraKeysAt);
        reading = EngineFault.BAD_EXTRA_KEYS;
        extraKeys.parse(in);
        in.seek(end);
      }
    }
    return event.kind == Kind.REMOVED && !event.hasHashes ? EngineFault.MISSING_FIELD : null;
  }
}
