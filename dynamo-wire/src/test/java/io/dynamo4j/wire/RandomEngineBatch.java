// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.core.hash.XxHash3;
import io.dynamo4j.core.runtime.RandomSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

/** Writes random batches in all forms of engines by another library, with what they mean. */
final class RandomEngineBatch {
  private static final Value NIL = ValueFactory.newNil();
  private static final List<String> STORED =
      List.of(
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
          "ownership");
  private static final List<String> REMOVED =
      List.of(
          "block_hashes",
          "medium",
          "group_idx",
          "kv_cache_spec_kind",
          "kv_cache_spec_sliding_window",
          "locality",
          "ownership");

  private final RandomSource random;
  private final List<Value> events = new ArrayList<>();
  private final List<String> meaning = new ArrayList<>();

  RandomEngineBatch(RandomSource random) {
    this.random = random;
    Value rank = random.nextInt(4) == 0 ? NIL : integer(random.nextInt(9));
    meaning.add("rank " + (rank.isNilValue() ? "none" : rank));
    for (int i = random.nextInt(5); i >= 0; i--) {
      addEvent();
    }
    this.batch =
        ValueFactory.newArray(ValueFactory.newFloat(1.5), ValueFactory.newArray(events), rank);
  }

  private final Value batch;

  /** Returns the lines of {@link EngineSummary} that are right. */
  List<String> meaning() {
    return meaning;
  }

  byte[] payload() {
    try (MessageBufferPacker out = MessagePack.newDefaultBufferPacker()) {
      out.packValue(batch);
      return out.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void addEvent() {
    switch (random.nextInt(8)) {
      case 0 -> addBad();
      case 1 -> add("AllBlocksCleared", List.of("ownership"), tail(false), "CLEARED", "");
      case 2, 3 -> addRemoved();
      default -> addStored();
    }
  }

  /* --------------- Good ones --------------- */

  private void addRemoved() {
    long[] hashes = hashes(random.nextInt(6));
    Map<String, Value> fields = tail(true);
    fields.put("block_hashes", values(hashes));
    add("BlockRemoved", REMOVED, fields, "REMOVED" + EngineSummary.hashes(hashes), "");
  }

  private void addStored() {
    boolean isMap = random.nextInt(2) == 0;
    int blocks = random.nextInt(5);
    int size = 1 + random.nextInt(4);
    long[] hashes = hashes(blocks);
    Map<String, Value> fields = tail(true);
    fields.put("block_hashes", values(hashes));
    StringBuilder line = new StringBuilder("STORED").append(EngineSummary.hashes(hashes));
    putParent(fields, line);
    putTokens(fields, line, blocks * size);
    fields.put("block_size", integer(size));
    line.append(" size ").append(size);
    String name = random.nextInt(3) == 0 ? "lora-" + random.nextInt(3) : null;
    boolean hasId = random.nextInt(3) == 0;
    fields.put("lora_id", hasId ? integer(1 + random.nextInt(9)) : NIL);
    fields.put("lora_name", name == null ? NIL : text(name));
    line.append(" adapter ").append(name).append('/').append(hasId);
    putKeys(fields, line, blocks, name);
    add("BlockStored", STORED, fields, isMap, line.toString(), "");
  }

  private void putParent(Map<String, Value> fields, StringBuilder line) {
    long parent = hash();
    boolean hasParent = random.nextInt(2) == 0;
    fields.put("parent_block_hash", hasParent ? value(parent) : NIL);
    line.append(" parent ").append(hasParent ? parent : "none");
  }

  private void putTokens(Map<String, Value> fields, StringBuilder line, int count) {
    boolean isPairs = count > 0 && random.nextInt(4) == 0;
    int[] tokens = new int[isPairs ? count + 1 : count];
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = (int) (random.nextLong() >>> (32 + random.nextInt(32)));
    }
    Value[] items = new Value[count];
    for (int i = 0; i < count; i++) {
      Value token = integer(Integer.toUnsignedLong(tokens[i]));
      items[i] =
          isPairs
              ? ValueFactory.newArray(token, integer(Integer.toUnsignedLong(tokens[i + 1])))
              : token;
    }
    fields.put("token_ids", ValueFactory.newArray(items));
    line.append(isPairs ? " pairs " : " tokens ").append(Arrays.toString(tokens));
  }

  /** Adapter, media and salt of each block, as vLLM orders them. */
  private void putKeys(
      Map<String, Value> fields, StringBuilder line, int blocks, @Nullable String name) {
    String salt = blocks > 0 && random.nextInt(3) == 0 ? "tenant-" + random.nextInt(3) : null;
    boolean isMarked = random.nextInt(2) == 0;
    boolean isRoot = fields.getOrDefault("parent_block_hash", NIL).isNilValue();
    List<Value> keys = new ArrayList<>();
    StringBuilder media = new StringBuilder();
    for (int block = 0; block < blocks; block++) {
      List<Value> ofBlock = new ArrayList<>();
      if (name != null) {
        ofBlock.add(text(name));
      }
      List<Long> expected = new ArrayList<>();
      for (int i = random.nextInt(3); i > 0; i--) {
        ofBlock.add(medium(expected));
      }
      if (block == 0 && salt != null && (isMarked || isRoot)) {
        ofBlock.add(text((isMarked ? "dynamo-cache-salt:" : "") + salt));
      }
      keys.add(ofBlock.isEmpty() ? NIL : ValueFactory.newArray(ofBlock));
      media.append(" media ").append(expected.stream().sorted().toList());
    }
    fields.put("extra_keys", ValueFactory.newArray(keys));
    boolean isSalted = salt != null && (isMarked || isRoot);
    line.append(" salt ").append(isSalted ? salt : null).append('/');
    line.append(isSalted ? (isMarked ? "DECLARED" : "BARE") : "NONE");
    line.append(media);
  }

  private Value medium(List<Long> expected) {
    if (random.nextInt(2) == 0) {
      long hash = random.nextLong();
      expected.add(hash);
      String digest = "%016x".formatted(hash).repeat(4);
      return random.nextInt(2) == 0
          ? text(digest)
          : ValueFactory.newArray(text(digest), integer(-random.nextInt(9)));
    }
    String id = "img-" + random.nextInt(1000);
    byte[] utf8 = id.getBytes(StandardCharsets.UTF_8);
    expected.add(XxHash3.hash(utf8, 0, utf8.length, 0));
    return ValueFactory.newArray(text(id), integer(random.nextInt(9)));
  }

  private Map<String, Value> tail(boolean isOfBlocks) {
    Map<String, Value> fields = new LinkedHashMap<>();
    if (isOfBlocks) {
      fields.put("medium", random.nextInt(3) == 0 ? NIL : text("GPU"));
      fields.put("group_idx", random.nextInt(2) == 0 ? NIL : integer(random.nextInt(4)));
      fields.put("kv_cache_spec_kind", random.nextInt(2) == 0 ? NIL : text("mamba"));
      fields.put("kv_cache_spec_sliding_window", random.nextInt(2) == 0 ? NIL : integer(128));
      fields.put("locality", random.nextInt(2) == 0 ? NIL : text("LOCAL"));
    }
    fields.put("ownership", random.nextInt(2) == 0 ? NIL : text("x"));
    return fields;
  }

  private void add(
      String tag, List<String> slots, Map<String, Value> fields, String head, String more) {
    add(tag, slots, fields, random.nextInt(2) == 0, head, more);
  }

  private void add(
      String tag,
      List<String> slots,
      Map<String, Value> fields,
      boolean isMap,
      String head,
      String more) {
    events.add(isMap ? map(tag, fields) : list(tag, slots, fields));
    meaning.add(
        head
            + " medium %s group %s kind %s window %s locality %s ownership %s"
                .formatted(
                    shown(fields, "medium", "null"),
                    shown(fields, "group_idx", "-1"),
                    shown(fields, "kv_cache_spec_kind", "null"),
                    shown(fields, "kv_cache_spec_sliding_window", "-1"),
                    shown(fields, "locality", "null"),
                    shown(fields, "ownership", "null"))
            + more);
  }

  private static String shown(Map<String, Value> fields, String name, String absent) {
    Value value = fields.getOrDefault(name, NIL);
    return value.isNilValue() ? absent : value.toString();
  }

  /** In any order, with fields that nobody knows; absent ones are left out or nil. */
  private Value map(String tag, Map<String, Value> fields) {
    List<Map.Entry<String, Value>> entries = new ArrayList<>(fields.entrySet());
    entries.removeIf(entry -> entry.getValue().isNilValue() && random.nextInt(2) == 0);
    entries.add(Map.entry("type", text(tag)));
    entries.add(Map.entry("session_id", text("s")));
    entries.add(Map.entry("lookahead_token_ids", ValueFactory.newArray(values(hashes(2)))));
    Map<Value, Value> shuffled = new LinkedHashMap<>();
    while (!entries.isEmpty()) {
      Map.Entry<String, Value> entry = entries.remove(random.nextInt(entries.size()));
      shuffled.put(text(entry.getKey()), entry.getValue());
    }
    return ValueFactory.newMap(shuffled);
  }

  private Value list(String tag, List<String> slots, Map<String, Value> fields) {
    List<Value> items = new ArrayList<>(List.of(text(tag)));
    slots.forEach(name -> items.add(fields.getOrDefault(name, NIL)));
    for (int i = random.nextInt(3); i > 0; i--) {
      items.add(text("later"));
    }
    return ValueFactory.newArray(items);
  }

  /* --------------- Bad ones --------------- */

  private void addBad() {
    Map<String, Value> fields = new LinkedHashMap<>();
    fields.put("type", text("BlockStored"));
    fields.put("block_hashes", values(hashes(1)));
    fields.put("token_ids", values(new long[] {1, 2}));
    fields.put("block_size", integer(2));
    EngineFault fault =
        switch (random.nextInt(10)) {
          case 0 -> bad(fields, "type", text("BlockMoved"), EngineFault.UNKNOWN_TAG);
          case 1 -> bad(fields, "type", null, EngineFault.NOT_AN_EVENT);
          case 2 -> bad(fields, "block_size", null, EngineFault.MISSING_FIELD);
          case 3 -> bad(fields, "token_ids", null, EngineFault.MISSING_FIELD);
          case 4 ->
              bad(
                  fields,
                  "block_hashes",
                  ValueFactory.newArray(ValueFactory.newFloat(1)),
                  EngineFault.BAD_HASH);
          case 5 -> bad(fields, "parent_block_hash", text("7"), EngineFault.BAD_HASH);
          case 6 -> bad(fields, "token_ids", values(new long[] {-1}), EngineFault.BAD_TOKENS);
          case 7 ->
              bad(
                  fields,
                  "token_ids",
                  ValueFactory.newArray(integer(1), values(new long[] {1, 2})),
                  EngineFault.BAD_TOKENS);
          case 8 ->
              bad(
                  fields,
                  "extra_keys",
                  ValueFactory.newArray(ValueFactory.newArray(NIL)),
                  EngineFault.BAD_EXTRA_KEYS);
          default -> bad(fields, "ownership", integer(1), EngineFault.BAD_FIELD);
        };
    Map<Value, Value> map = new LinkedHashMap<>();
    fields.forEach((name, value) -> map.put(text(name), value));
    events.add(ValueFactory.newMap(map));
    meaning.add("fault " + fault);
  }

  private static EngineFault bad(
      Map<String, Value> fields, String name, @Nullable Value value, EngineFault fault) {
    if (value == null) {
      fields.remove(name);
    } else {
      fields.put(name, value);
    }
    return fault;
  }

  /* --------------- Values --------------- */

  private long[] hashes(int count) {
    long[] hashes = new long[count];
    for (int i = 0; i < count; i++) {
      hashes[i] = hash();
    }
    return hashes;
  }

  private long hash() {
    return random.nextLong() >> random.nextInt(64);
  }

  private Value values(long[] hashes) {
    return ValueFactory.newArray(Arrays.stream(hashes).mapToObj(this::value).toArray(Value[]::new));
  }

  /** A number of either sign, or the digest whose end it is. */
  private Value value(long hash) {
    if (hash < 0 && hash != -1 && random.nextInt(2) == 0) {
      return ValueFactory.newInteger(new BigInteger(Long.toUnsignedString(hash)));
    }
    return integer(hash);
  }

  private static Value integer(long value) {
    return ValueFactory.newInteger(value);
  }

  private static Value text(String value) {
    return ValueFactory.newString(value);
  }
}
