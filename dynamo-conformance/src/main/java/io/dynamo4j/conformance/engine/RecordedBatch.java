// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.engine;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.wire.EngineBatchReader;
import io.dynamo4j.wire.EngineEvent;
import io.dynamo4j.wire.WireFormatException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

/** Compares what our reader makes of a batch with what was recorded as its meaning. */
final class RecordedBatch {
  private static final Set<Policy> OURS = EnumSet.allOf(Policy.class);

  private final EngineBatchReader reader = EngineBatchReader.create();
  private final Replay replay;

  RecordedBatch(Replay replay) {
    this.replay = replay;
  }

  /** Reads a batch of which only the bytes were recorded: every event must be readable. */
  void read(byte[] payload) {
    open(payload);
    while (reader.next()) {
      replay.same("fault", null + "", reader.fault() + "");
    }
  }

  private boolean open(byte[] payload) {
    try {
      reader.open(payload);
      return true;
    } catch (WireFormatException e) {
      replay.fault("batch cannot be read: " + e.getMessage());
      return false;
    }
  }

  void compare(JsonNode recorded, byte[] payload) {
    if (!open(payload)) {
      return;
    }
    List<Value> batch = RecordedValues.of(recorded).asArrayValue().list();
    Value rank = batch.size() > 2 ? batch.get(2) : ValueFactory.newNil();
    replay.same("has rank", !rank.isNilValue(), reader.hasRank());
    if (reader.hasRank()) {
      replay.same("rank", rank.toString(), Integer.toUnsignedString(reader.dpRank()));
    }
    List<Value> events = batch.get(1).asArrayValue().list();
    replay.same("events", events.size(), reader.remaining());
    for (int i = 0; i < events.size() && reader.next(); i++) {
      compare("event[" + i + "]", events.get(i));
    }
  }

  private void compare(String what, Value recorded) {
    ReferenceEvent event;
    try {
      event = ReferenceEvent.of(recorded, OURS);
    } catch (UnreadableException e) {
      replay.same(what + " has a fault", true, reader.fault() != null);
      return;
    }
    replay.same(what + ".fault", null + "", reader.fault() + "");
    if (reader.fault() == null) {
      compare(what, event, reader.event());
    }
  }

  private void compare(String what, ReferenceEvent event, EngineEvent ours) {
    replay.same(what + ".kind", kindOf(event.tag), ours.kind());
    for (String name : List.of("medium", "locality", "ownership", "kv_cache_spec_kind")) {
      replay.same(what + "." + name, event.text(name) + "", textOf(name, ours));
    }
    replay.same(what + ".group", countOf(event.field("group_idx")), ours.groupIndex());
    replay.same(
        what + ".window", countOf(event.field("kv_cache_spec_sliding_window")), ours.window());
    if (ours.kind() == EngineEvent.Kind.STORED || ours.kind() == EngineEvent.Kind.REMOVED) {
      long[] hashes = Arrays.copyOf(ours.hashes(), ours.hashCount());
      replay.sameHashes(what + ".hashes", event.hashes(), hashes);
    }
    if (ours.kind() == EngineEvent.Kind.STORED) {
      compareStored(what, event, ours);
    }
  }

  private void compareStored(String what, ReferenceEvent event, EngineEvent ours) {
    replay.same(what + ".has parent", event.hasParent(), ours.hasParent());
    replay.same(what + ".parent", event.parent(), ours.parentHash());
    replay.same(what + ".eagle", event.isEagle(), ours.isEagle());
    replay.same(what + ".block size", event.count("block_size"), (long) ours.blockSize());
    String tokens = Arrays.toString(Arrays.copyOf(ours.tokens(), ours.tokenCount()));
    replay.same(what + ".tokens", Arrays.toString(event.tokens()), tokens);
    ReferenceContent content = ReferenceContent.of(event, OURS);
    replay.same(
        what + ".adapter", content.loraName, Objects.requireNonNullElse(ours.loraName(), ""));
    replay.same(what + ".salt", content.salt, Objects.requireNonNullElse(ours.salt(), ""));
    for (int block = 0; block < ours.hashCount(); block++) {
      long[] media =
          block < content.media.size()
              ? content.media.get(block).stream().mapToLong(Long::longValue).sorted().toArray()
              : new long[0];
      // In the hash of a block they are sorted.
      long[] sorted = Arrays.stream(ours.mediaOf(block)).sorted().toArray();
      replay.sameHashes(what + ".media[" + block + "]", media, sorted);
    }
    boolean isRefused =
        ours.hasUnsupportedKey()
            || (ours.hasLoraId() && Objects.requireNonNullElse(ours.loraName(), "").isEmpty());
    replay.same(what + ".refused", content.isRefused, isRefused);
  }

  private static EngineEvent.Kind kindOf(String tag) {
    return switch (tag) {
      case "BlockStored" -> EngineEvent.Kind.STORED;
      case "BlockRemoved" -> EngineEvent.Kind.REMOVED;
      case "AllBlocksCleared" -> EngineEvent.Kind.CLEARED;
      default -> EngineEvent.Kind.IGNORED;
    };
  }

  private static String textOf(String name, EngineEvent ours) {
    return switch (name) {
          case "medium" -> ours.medium();
          case "locality" -> ours.locality();
          case "ownership" -> ours.ownership();
          default -> ours.attentionKind();
        }
        + "";
  }

  private static long countOf(Value value) {
    return value.isNilValue() ? -1 : value.asIntegerValue().asBigInteger().longValue();
  }
}
