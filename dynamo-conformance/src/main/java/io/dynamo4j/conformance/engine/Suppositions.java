// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePackException;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

/** What may have been set up and heard before a message, as far as the message suggests it. */
final class Suppositions {
  private static final Set<Policy> NONE = Set.of();

  private Suppositions() {}

  /** Returns set-ups: block sizes that events name, and one that none names; image tokens. */
  static List<EngineConfig> configs(List<byte[]> message) {
    Set<Integer> sizes = new LinkedHashSet<>();
    Set<Long> tokens = new LinkedHashSet<>();
    tokens.add(-1L);
    for (ReferenceEvent event : events(message)) {
      if (event.tag.equals("BlockStored")) {
        sizes.add((int) Math.max(1, event.count("block_size")));
        if (!event.field("block_mm_infos").isNilValue()) {
          for (int token : event.tokens()) {
            tokens.add(Integer.toUnsignedLong(token));
          }
        }
      }
    }
    sizes.add(sizes.contains(4) ? 3 : 4);
    List<EngineConfig> configs = new ArrayList<>();
    for (int size : sizes) {
      for (long token : tokens) {
        configs.add(new EngineConfig(size, token));
      }
    }
    return configs;
  }

  /** Returns histories: what was heard, then that and one more message. */
  static List<List<byte[]>> histories(List<byte[]> message, List<byte[]> heard) {
    List<List<byte[]>> histories = new ArrayList<>();
    histories.add(heard);
    for (ReferenceEvent event : events(message)) {
      if (!event.field("group_idx").isNilValue()) {
        addWith(histories, heard, groupOf(event, "mamba"));
        addWith(histories, heard, groupOf(event, "full_attention"));
      }
      if (event.tag.equals("BlockRemoved")) {
        Value stored = storeOf(event, event.field("block_hashes"), ValueFactory.newNil());
        addWith(histories, heard, stored, stored);
      }
      if (event.tag.equals("BlockStored") && event.hasParent()) {
        Value parent = ValueFactory.newArray(event.field("parent_block_hash"));
        addWith(
            histories,
            heard,
            storeOf(event, parent, ValueFactory.newString("a")),
            storeOf(event, parent, ValueFactory.newString("b")));
      }
    }
    return histories;
  }

  /** Returns whether some block continues another one and says nothing of its own namespace. */
  static boolean storesUnsaltedChild(List<byte[]> message) {
    return events(message).stream()
        .filter(event -> event.tag.equals("BlockStored") && event.hasParent())
        .anyMatch(event -> ReferenceContent.of(event, NONE).salt.isEmpty());
  }

  private static void addWith(List<List<byte[]>> histories, List<byte[]> heard, Value... events) {
    List<byte[]> history = new ArrayList<>(heard);
    for (long rank = 0; rank < 2; rank++) {
      Value batch =
          ValueFactory.newArray(
              ValueFactory.newFloat(1.0),
              ValueFactory.newArray(events),
              ValueFactory.newInteger(rank));
      history.add(pack(batch));
    }
    histories.add(history);
  }

  private static Value groupOf(ReferenceEvent event, String kind) {
    return ValueFactory.newMap(
        Map.of(
            ValueFactory.newString("type"), ValueFactory.newString("BlockStored"),
            ValueFactory.newString("block_hashes"), ValueFactory.emptyArray(),
            ValueFactory.newString("token_ids"), ValueFactory.emptyArray(),
            ValueFactory.newString("block_size"), ValueFactory.newInteger(4),
            ValueFactory.newString("group_idx"), event.field("group_idx"),
            ValueFactory.newString("kv_cache_spec_kind"), ValueFactory.newString(kind)));
  }

  /** Blocks of tokens 0, of the same medium as the event's. */
  private static Value storeOf(ReferenceEvent event, Value hashes, Value salt) {
    int size = 4;
    Value[] tokens = new Value[hashes.asArrayValue().size() * size];
    Arrays.fill(tokens, ValueFactory.newInteger(0));
    return ValueFactory.newMap(
        Map.of(
            ValueFactory.newString("type"), ValueFactory.newString("BlockStored"),
            ValueFactory.newString("block_hashes"), hashes,
            ValueFactory.newString("token_ids"), ValueFactory.newArray(tokens),
            ValueFactory.newString("block_size"), ValueFactory.newInteger(size),
            ValueFactory.newString("medium"), event.field("medium"),
            ValueFactory.newString("cache_salt"), salt));
  }

  private static byte[] pack(Value value) {
    try (MessageBufferPacker out = MessagePack.newDefaultBufferPacker()) {
      out.packValue(value);
      return out.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException("value cannot be packed", e);
    }
  }

  private static List<ReferenceEvent> events(List<byte[]> message) {
    return message.stream().flatMap(payload -> eventsOf(payload).stream()).toList();
  }

  /** What cannot be read suggests nothing. */
  private static List<ReferenceEvent> eventsOf(byte[] payload) {
    List<ReferenceEvent> events = new ArrayList<>();
    try (MessageUnpacker in = MessagePack.newDefaultUnpacker(payload)) {
      Value batch = in.unpackValue();
      if (batch.isArrayValue() && batch.asArrayValue().size() > 1) {
        for (Value event : batch.asArrayValue().get(1).asArrayValue()) {
          events.add(ReferenceEvent.of(event, NONE));
        }
      }
      return events;
    } catch (UnreadableException | MessagePackException | IOException e) {
      return events;
    }
  }
}
