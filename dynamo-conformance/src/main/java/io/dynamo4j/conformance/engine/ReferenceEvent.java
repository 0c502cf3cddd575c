// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.engine;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

/**
 * One event of an engine with its fields by name, read from another library's values: apart from
 * the code under test, in the plainest way.
 */
final class ReferenceEvent {
  private static final BigInteger UNSIGNED = BigInteger.ONE.shiftLeft(64);
  private static final List<String> STORED =
      List.of(
          "block_hashes",
          "parent_block_hash",
          "token_ids",
          "block_size",
          "lora_id",
          "medium",
          "lora_name",
          "extra_keys");
  private static final List<String> REMOVED = List.of("block_hashes", "medium");
  private static final List<String> TAIL =
      List.of(
          "group_idx",
          "kv_cache_spec_kind",
          "kv_cache_spec_sliding_window",
          "locality",
          "ownership");

  final String tag;
  private final Map<String, Value> fields;
  private final boolean isList;
  private final Set<Policy> policies;

  private ReferenceEvent(
      String tag, Map<String, Value> fields, boolean isList, Set<Policy> policies) {
    this.tag = tag;
    this.fields = fields;
    this.isList = isList;
    this.policies = policies;
  }

  /**
   * Reads an event.
   *
   * @throws UnreadableException if its shape makes it useless
   */
  static ReferenceEvent of(Value event, Set<Policy> policies) {
    ReferenceEvent read;
    if (event.isMapValue()) {
      Map<String, Value> fields = new LinkedHashMap<>();
      event.asMapValue().map().forEach((key, value) -> fields.put(key.toString(), value));
      Value type = fields.getOrDefault("type", ValueFactory.newNil());
      read = new ReferenceEvent(textOf(type), fields, false, policies);
    } else if (event.isArrayValue() && event.asArrayValue().size() > 0) {
      List<Value> items = event.asArrayValue().list();
      String tag = textOf(items.get(0));
      read = new ReferenceEvent(tag, byName(tag, items), true, policies);
    } else {
      throw new UnreadableException("event");
    }
    read.check();
    return read;
  }

  private static String textOf(Value value) {
    if (!value.isStringValue()) {
      throw new UnreadableException("tag");
    }
    return value.asStringValue().asString();
  }

  private static Map<String, Value> byName(String tag, List<Value> items) {
    Map<String, Value> fields = new LinkedHashMap<>();
    List<String> names =
        switch (tag) {
          case "BlockStored" -> STORED;
          case "BlockRemoved" -> REMOVED;
          case "AllBlocksCleared" -> List.of("ownership");
          default -> List.of();
        };
    for (int i = 0; i < names.size() && i + 1 < items.size(); i++) {
      fields.put(names.get(i), items.get(i + 1));
    }
    if (items.size() > names.size() + 1 && tag.startsWith("Block")) {
      nameTail(items.subList(names.size() + 1, items.size()), fields);
    }
    return fields;
  }

  private static void nameTail(List<Value> tail, Map<String, Value> fields) {
    boolean isFixed = tail.size() >= 4;
    for (int i = 0; i < Math.min(5, tail.size()); i++) {
      Value item = tail.get(i);
      boolean isCountSlot = i == 0 || i == 2;
      isFixed &= item.isNilValue() || (isCountSlot ? isCount(item) : item.isStringValue());
    }
    for (int i = 0; i < tail.size(); i++) {
      Value item = tail.get(i);
      if (isFixed) {
        if (i < TAIL.size()) {
          fields.put(TAIL.get(i), item);
        }
      } else if (isCount(item)) {
        fields.putIfAbsent(fields.containsKey("group_idx") ? TAIL.get(2) : TAIL.get(0), item);
      } else if (item.isStringValue()) {
        fields.putIfAbsent(TAIL.get(1), item);
      } else if (item.isArrayValue()) {
        fields.putIfAbsent("block_mm_infos", item);
      }
    }
  }

  private static boolean isCount(Value item) {
    return item.isIntegerValue() && item.asIntegerValue().asBigInteger().signum() >= 0;
  }

  private void check() {
    if (!List.of("BlockStored", "BlockRemoved", "AllBlocksCleared", "Ignored").contains(tag)) {
      throw new UnreadableException("tag " + tag);
    }
    for (String name : List.of("medium", "locality", "ownership", "kv_cache_spec_kind")) {
      text(name);
    }
    if (tag.startsWith("Block")) {
      hashes();
    }
    if (tag.equals("BlockStored")) {
      parent();
      tokens();
      count("block_size");
      checkAdapter();
      extraKeys();
      text("cache_salt");
    }
  }

  private void checkAdapter() {
    Value id = field("lora_id");
    if (isList && !id.isNilValue() && !isCount(id)) {
      throw new UnreadableException("lora_id");
    }
    Value name = field("lora_name");
    if (!name.isNilValue() && !name.isStringValue() && !(isList && name.isMapValue())) {
      throw new UnreadableException("lora_name");
    }
  }

  Value field(String name) {
    return fields.getOrDefault(name, ValueFactory.newNil());
  }

  /** Returns a text, null if absent or nil. */
  @Nullable String text(String name) {
    Value value = field(name);
    if (value.isNilValue()) {
      return null;
    }
    if (!value.isStringValue()) {
      throw new UnreadableException(name);
    }
    return value.asStringValue().asString();
  }

  long count(String name) {
    Value value = field(name);
    if (!isCount(value)) {
      throw new UnreadableException(name);
    }
    return value.asIntegerValue().asBigInteger().longValue();
  }

  long[] hashes() {
    Value value = field("block_hashes");
    if (!value.isArrayValue()) {
      throw new UnreadableException("block_hashes");
    }
    return value.asArrayValue().list().stream().mapToLong(this::hash).toArray();
  }

  boolean hasParent() {
    return !field("parent_block_hash").isNilValue();
  }

  long parent() {
    return hasParent() ? hash(field("parent_block_hash")) : 0;
  }

  private long hash(Value value) {
    if (value.isIntegerValue()) {
      return value.asIntegerValue().asBigInteger().mod(UNSIGNED).longValue();
    }
    if (value.isBinaryValue() && policies.contains(Policy.DIGEST_HASHES)) {
      byte[] bytes = value.asBinaryValue().asByteArray();
      if (bytes.length > 0) {
        return new BigInteger(1, bytes).longValue();
      }
    }
    throw new UnreadableException("hash");
  }

  boolean isEagle() {
    List<Value> tokens = list("token_ids");
    return !tokens.isEmpty() && tokens.get(0).isArrayValue();
  }

  int[] tokens() {
    List<Value> tokens = list("token_ids");
    if (!isEagle()) {
      return tokens.stream().mapToInt(ReferenceEvent::token).toArray();
    }
    List<Value> flat = new ArrayList<>();
    for (Value pair : tokens) {
      if (!pair.isArrayValue() || pair.asArrayValue().size() != 2) {
        throw new UnreadableException("pair");
      }
      if (flat.isEmpty()) {
        flat.add(pair.asArrayValue().get(0));
      }
      token(pair.asArrayValue().get(0));
      flat.set(flat.size() - 1, pair.asArrayValue().get(0));
      flat.add(pair.asArrayValue().get(1));
    }
    return flat.stream().mapToInt(ReferenceEvent::token).toArray();
  }

  private static int token(Value value) {
    if (isCount(value) && value.asIntegerValue().asBigInteger().bitLength() <= 32) {
      return value.asIntegerValue().asBigInteger().intValue();
    }
    throw new UnreadableException("token");
  }

  private List<Value> list(String name) {
    Value value = field(name);
    if (!value.isArrayValue()) {
      throw new UnreadableException(name);
    }
    return value.asArrayValue().list();
  }

  /** Returns the keys of each block; none where nil. */
  List<List<Value>> extraKeys() {
    List<List<Value>> blocks = new ArrayList<>();
    if (field("extra_keys").isNilValue()) {
      return blocks;
    }
    for (Value block : list("extra_keys")) {
      if (!block.isNilValue() && !block.isArrayValue()) {
        throw new UnreadableException("extra_keys");
      }
      List<Value> keys = block.isNilValue() ? List.of() : block.asArrayValue().list();
      keys.forEach(ReferenceEvent::checkKey);
      blocks.add(keys);
    }
    return blocks;
  }

  private static void checkKey(Value key) {
    boolean isPair =
        key.isArrayValue()
            && key.asArrayValue().size() == 2
            && key.asArrayValue().get(1).isIntegerValue()
            && (key.asArrayValue().get(0).isStringValue()
                || key.asArrayValue().get(0).isIntegerValue());
    boolean isScalar =
        key.isStringValue()
            || key.isIntegerValue()
            || key.isFloatValue()
            || key.isBooleanValue()
            || key.isBinaryValue();
    if (!isPair && !isScalar) {
      throw new UnreadableException("extra key");
    }
  }
}
