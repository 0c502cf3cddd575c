// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

/** Writes engines' batches by another library. */
final class EngineBatches {

  private EngineBatches() {}

  /** Returns a batch without a rank. */
  static byte[] batch(Value... events) {
    return batchOf(ValueFactory.newNil(), events);
  }

  static byte[] batchOfRank(int rank, Value... events) {
    return batchOf(ValueFactory.newInteger(rank), events);
  }

  private static byte[] batchOf(Value rank, Value... events) {
    return pack(
        ValueFactory.newArray(ValueFactory.newFloat(1), ValueFactory.newArray(events), rank));
  }

  static byte[] pack(Value value) {
    try (MessageBufferPacker out = MessagePack.newDefaultBufferPacker()) {
      out.packValue(value);
      return out.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns a store of blocks of 2 tokens each, {@code 10 * hash} and {@code 10 * hash + 1}. */
  static Value stored(Object parent, long... hashes) {
    long[] tokens = new long[hashes.length * 2];
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = 10 * hashes[i / 2] + i % 2;
    }
    return map(
        "type", "BlockStored",
        "block_hashes", hashes,
        "parent_block_hash", parent,
        "token_ids", tokens,
        "block_size", 2);
  }

  static Value removed(long... hashes) {
    return map("type", "BlockRemoved", "block_hashes", hashes);
  }

  static Value cleared() {
    return map("type", "AllBlocksCleared");
  }

  /** Returns an event with more fields, or others, than it had. */
  static Value with(Value event, Object... keysAndValues) {
    Map<Value, Value> fields = new LinkedHashMap<>(event.asMapValue().map());
    fields.putAll(map(keysAndValues).asMapValue().map());
    return ValueFactory.newMap(fields);
  }

  static Value map(Object... keysAndValues) {
    Map<Value, Value> fields = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      fields.put(value(keysAndValues[i]), value(keysAndValues[i + 1]));
    }
    return ValueFactory.newMap(fields);
  }

  static Value list(Object... items) {
    return ValueFactory.newArray(Arrays.stream(items).map(EngineBatches::value).toList());
  }

  static Value nil() {
    return ValueFactory.newNil();
  }

  static Value value(Object object) {
    if (object instanceof Value value) {
      return value;
    }
    if (object instanceof long[] numbers) {
      return ValueFactory.newArray(
          Arrays.stream(numbers).mapToObj(ValueFactory::newInteger).toArray(Value[]::new));
    }
    if (object instanceof Number number) {
      return ValueFactory.newInteger(number.longValue());
    }
    return ValueFactory.newString(object.toString());
  }
}
