// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.engine;

import io.dynamo4j.core.runtime.RandomSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

/** Batches over few hashes, tenants, groups and ranks, so that they meet each other. */
final class RandomEngineStream {
  private static final int BLOCK = 2;
  private static final Value NIL = ValueFactory.newNil();
  private static final List<String> IDS = List.of("a", "b", "0123456789abcdef".repeat(4));

  private final RandomSource random;

  RandomEngineStream(long seed) {
    this.random = RandomSource.seeded(seed);
  }

  EngineConfig config() {
    return new EngineConfig(BLOCK, random.nextInt(2) == 0 ? -1 : 3);
  }

  byte[] next() {
    List<Value> events = new ArrayList<>();
    for (int i = random.nextInt(4); i >= 0; i--) {
      events.add(event());
    }
    Value rank = oneIn(3) ? NIL : number(random.nextInt(2));
    List<Value> batch = new ArrayList<>(List.of(oneIn(20) ? NIL : number(1), list(events), rank));
    if (oneIn(20)) {
      batch.remove(2);
    }
    return pack(list(batch));
  }

  private static byte[] pack(Value value) {
    try (MessageBufferPacker out = MessagePack.newDefaultBufferPacker()) {
      out.packValue(value);
      return out.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean oneIn(int n) {
    return random.nextInt(n) == 0;
  }

  private Value event() {
    Map<String, Value> fields = new LinkedHashMap<>();
    int kind = random.nextInt(20);
    if (kind == 0) {
      fields.put("type", text("AllBlocksCleared"));
    } else {
      fields.put("type", text(kind < 7 ? "BlockRemoved" : "BlockStored"));
      fields.put("block_hashes", hashes());
      fields.put("medium", oneIn(4) ? text("CPU") : NIL);
      putGroup(fields);
    }
    if (kind >= 7) {
      putTokens(fields);
      putIdentity(fields);
    }
    if (oneIn(25)) {
      fields.put("ownership", text("x"));
    }
    if (kind != 0 && oneIn(25)) {
      fields.put("block_hashes", text("bad"));
    }
    Map<Value, Value> map = new LinkedHashMap<>();
    fields.forEach((name, value) -> map.put(text(name), value));
    return ValueFactory.newMap(map);
  }

  private void putGroup(Map<String, Value> fields) {
    if (oneIn(4)) {
      fields.put("group_idx", number(random.nextInt(2)));
    }
    if (oneIn(6)) {
      fields.put("kv_cache_spec_kind", text(oneIn(2) ? "full_attention" : "mamba"));
    }
    if (oneIn(25)) {
      fields.put("locality", text("REMOTE"));
    }
  }

  private Value hashes() {
    List<Value> hashes = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      hashes.add(hash());
    }
    return list(hashes);
  }

  private Value hash() {
    int value = random.nextInt(8);
    return oneIn(20) ? ValueFactory.newBinary(new byte[] {1, (byte) value}) : number(value);
  }

  private void putTokens(Map<String, Value> fields) {
    fields.put("parent_block_hash", oneIn(2) ? NIL : hash());
    int tokens = fields.getOrDefault("block_hashes", NIL).asArrayValue().size() * BLOCK;
    List<Value> items = new ArrayList<>();
    for (int i = oneIn(10) ? 1 : 0; i < tokens; i++) {
      items.add(number(random.nextInt(4)));
    }
    fields.put("token_ids", list(items));
    fields.put("block_size", number(oneIn(20) ? 3 : BLOCK));
  }

  private void putIdentity(Map<String, Value> fields) {
    if (oneIn(6)) {
      fields.put("lora_name", text("a"));
    }
    if (oneIn(10)) {
      fields.put("lora_id", number(random.nextInt(2)));
    }
    if (oneIn(8)) {
      fields.put("cache_salt", text(oneIn(5) ? "" : id()));
    }
    if (oneIn(10)) {
      fields.put("metadata", ValueFactory.newMap(Map.of(text("cache_salt"), text(id()))));
    }
    if (oneIn(4)) {
      List<Value> blocks = new ArrayList<>();
      for (int i = random.nextInt(3); i >= 0; i--) {
        blocks.add(oneIn(4) ? NIL : keys());
      }
      fields.put("extra_keys", list(blocks));
    }
  }

  private Value keys() {
    List<Value> keys = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      switch (random.nextInt(12)) {
        case 0 -> keys.add(number(random.nextInt(2)));
        case 1 -> keys.add(ValueFactory.newFloat(1.5));
        case 2, 3, 4 -> keys.add(text("dynamo-cache-salt:" + id()));
        case 5, 6, 7 -> keys.add(list(List.of(text(id()), number(0))));
        default -> keys.add(text(id()));
      }
    }
    return list(keys);
  }

  private String id() {
    return IDS.get(random.nextInt(IDS.size()));
  }

  private static Value number(long value) {
    return ValueFactory.newInteger(value);
  }

  private static Value text(String value) {
    return ValueFactory.newString(value);
  }

  private static Value list(List<Value> items) {
    return ValueFactory.newArray(items);
  }
}
