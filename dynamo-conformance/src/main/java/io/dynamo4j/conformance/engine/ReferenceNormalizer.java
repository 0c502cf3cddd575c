// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.engine;

import io.dynamo4j.conformance.plane.PublishedEvent;
import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.token.TokenSlice;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePackException;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

/**
 * What a worker publishes of an engine's batches: in plain collections, apart from the code under
 * test. Without policies it is the recorded peer, with all of them it is this library.
 */
final class ReferenceNormalizer {
  private static final Set<String> MAIN_KINDS =
      Set.of("full_attention", "mla_attention", "sink_full_attention");

  private final EngineConfig config;
  private final Set<Policy> policies;
  private final int nilRank;

  /** By rank and group: whether its blocks count. */
  private final Map<String, Boolean> groups = new HashMap<>();

  /** By rank, tier and hash. */
  private final Map<String, Integer> copies = new HashMap<>();

  /** By rank and hash. */
  private final Map<String, Set<String>> namespaces = new HashMap<>();

  private List<PublishedEvent> published = new ArrayList<>();

  ReferenceNormalizer(EngineConfig config, Set<Policy> policies, int nilRank) {
    this.config = config;
    this.policies = policies;
    this.nilRank = nilRank;
  }

  /** Returns what is published of one batch, neighbours joined. */
  List<PublishedEvent> read(byte[] payload) {
    published = new ArrayList<>();
    try (MessageUnpacker in = MessagePack.newDefaultUnpacker(payload)) {
      readBatch(in.unpackValue());
    } catch (UnreadableException | MessagePackException | IOException e) {
      published = new ArrayList<>();
    }
    return join(published);
  }

  private void readBatch(Value batch) {
    Value time;
    Value events;
    Value rank = ValueFactory.newNil();
    boolean anyForm = policies.contains(Policy.BATCH_FORMS);
    if (batch.isArrayValue()) {
      List<Value> items = batch.asArrayValue().list();
      if (items.size() != 3 && (!anyForm || items.size() < 2)) {
        throw new UnreadableException("batch");
      }
      time = items.get(0);
      events = items.get(1);
      rank = items.size() > 2 ? items.get(2) : rank;
    } else if (batch.isMapValue() && anyForm) {
      Map<Value, Value> map = batch.asMapValue().map();
      time = map.getOrDefault(ValueFactory.newString("ts"), ValueFactory.newNil());
      events = map.getOrDefault(ValueFactory.newString("events"), ValueFactory.newNil());
      rank = map.getOrDefault(ValueFactory.newString("data_parallel_rank"), rank);
    } else {
      throw new UnreadableException("batch");
    }
    if (!time.isNumberValue() && !(time.isNilValue() && anyForm)) {
      throw new UnreadableException("time");
    }
    if (!events.isArrayValue() || !(rank.isNilValue() || rank.isIntegerValue())) {
      throw new UnreadableException("events or rank");
    }
    int dpRank = rank.isNilValue() ? nilRank : rank.asIntegerValue().asBigInteger().intValue();
    readEvents(events.asArrayValue().list(), dpRank);
  }

  private void readEvents(List<Value> events, int dpRank) {
    List<ReferenceEvent> readable = new ArrayList<>();
    for (Value event : events) {
      try {
        readable.add(ReferenceEvent.of(event, policies));
      } catch (UnreadableException e) {
        if (!policies.contains(Policy.BAD_EVENT_COSTS_ITSELF)) {
          throw e;
        }
      }
    }
    readable.forEach(event -> readEvent(event, dpRank));
  }

  private void readEvent(ReferenceEvent event, int dpRank) {
    if (event.tag.equals("BlockStored")) {
      learn(event, dpRank);
    }
    if (event.text("ownership") != null || event.tag.equals("Ignored")) {
      return;
    }
    if (event.tag.equals("AllBlocksCleared")) {
      forget(copies, dpRank);
      forget(namespaces, dpRank);
      published.add(new PublishedEvent("device", dpRank, "cleared", null, List.of()));
      return;
    }
    String locality = event.text("locality");
    String tier = tierOf(event.text("medium"));
    if ((locality != null && !locality.equals("LOCAL")) || tier == null || !isMain(event, dpRank)) {
      return;
    }
    if (event.tag.equals("BlockStored")) {
      store(event, dpRank, tier);
    } else {
      remove(event, dpRank, tier);
    }
  }

  private static void forget(Map<String, ?> byRank, int dpRank) {
    byRank.keySet().removeIf(key -> key.startsWith(dpRank + "/"));
  }

  static @Nullable String tierOf(@Nullable String medium) {
    if (medium == null || medium.isEmpty()) {
      return "device";
    }
    if (List.of("GPU", "DEVICE").contains(medium)) {
      return "device";
    }
    if (List.of("CPU", "CPU_PINNED", "CPU_TIER1").contains(medium)) {
      return "host_pinned";
    }
    if (List.of("CPU_TIER2", "DISK", "NVME", "STORAGE").contains(medium)) {
      return "disk";
    }
    return List.of("EXTERNAL", "NETWORK", "REMOTE", "SHARED").contains(medium) ? "external" : null;
  }

  /* --------------- Groups --------------- */

  private void learn(ReferenceEvent event, int dpRank) {
    String kind = event.text("kv_cache_spec_kind");
    if (kind != null && !event.field("group_idx").isNilValue()) {
      groups.put(dpRank + "/" + event.count("group_idx"), MAIN_KINDS.contains(kind));
    }
  }

  private boolean isMain(ReferenceEvent event, int dpRank) {
    String kind = event.text("kv_cache_spec_kind");
    if (kind != null) {
      return MAIN_KINDS.contains(kind);
    }
    if (event.field("group_idx").isNilValue()) {
      return true;
    }
    long group = event.count("group_idx");
    return groups.getOrDefault(dpRank + "/" + group, group == 0);
  }

  /* --------------- Blocks --------------- */

  private void store(ReferenceEvent event, int dpRank, String tier) {
    long[] hashes = event.hashes();
    Set<Long> distinct = new HashSet<>();
    Arrays.stream(hashes).forEach(distinct::add);
    if (distinct.size() < hashes.length
        || (event.hasParent() && distinct.contains(event.parent()))) {
      return;
    }
    ReferenceContent content = ReferenceContent.of(event, policies);
    boolean hasParent = hasParent(event, dpRank);
    Set<String> inherited =
        hasParent ? namespaces.getOrDefault(dpRank + "/" + event.parent(), Set.of()) : Set.of();
    if (content.isRefused || (content.salt.isEmpty() && inherited.size() > 1)) {
      return;
    }
    String namespace =
        content.salt.isEmpty() && inherited.size() == 1
            ? inherited.iterator().next()
            : content.salt;
    List<Long> contents = hashesOf(event, content, namespace);
    if (contents.isEmpty() && policies.contains(Policy.EMPTY_STORES)) {
      return;
    }
    List<String> blocks = new ArrayList<>();
    for (int i = 0; i < contents.size(); i++) {
      copies.merge(dpRank + "/" + tier + "/" + hashes[i], 1, Integer::sum);
      namespaces.computeIfAbsent(dpRank + "/" + hashes[i], key -> new HashSet<>()).add(namespace);
      blocks.add(PublishedEvent.block(hashes[i], contents.get(i)));
    }
    String parent = hasParent ? Long.toUnsignedString(event.parent()) : null;
    published.add(new PublishedEvent(tier, dpRank, "stored", parent, blocks));
  }

  private boolean hasParent(ReferenceEvent event, int dpRank) {
    boolean isZero = event.parent() == 0 && policies.contains(Policy.ZERO_PARENT);
    return event.hasParent() && (!isZero || holds(dpRank, 0));
  }

  private boolean holds(int dpRank, long hash) {
    return copies.keySet().stream()
        .anyMatch(key -> key.startsWith(dpRank + "/") && key.endsWith("/" + hash));
  }

  private List<Long> hashesOf(ReferenceEvent event, ReferenceContent content, String namespace) {
    if (event.count("block_size") != config.blockSize()) {
      return List.of();
    }
    BlockHasher hasher =
        BlockHasher.of(
            BlockHashOptions.builder(config.blockSize())
                .loraName(content.loraName)
                .cacheNamespace(namespace)
                .eagle(event.isEagle())
                .build());
    int[] tokens = event.tokens();
    int window = (int) hasher.windowSize();
    int blocks = Math.min(event.hashes().length, hasher.blockCount(tokens.length));
    List<Long> contents = new ArrayList<>();
    for (int block = 0; block < blocks; block++) {
      int from = block * config.blockSize();
      int[] part = Arrays.copyOfRange(tokens, from, from + window);
      long[] media =
          block < content.media.size()
              ? content.media.get(block).stream().mapToLong(Long::longValue).toArray()
              : new long[0];
      boolean isPadded = media.length > 0 && pad(part, media);
      long[][] hashed = {isPadded ? new long[0] : media};
      long[] out = new long[1];
      hasher.hash(TokenSlice.wrap(part), hashed, out);
      contents.add(out[0]);
    }
    return contents;
  }

  private boolean pad(int[] tokens, long[] media) {
    int run = -1;
    for (int i = 0; i < tokens.length; i++) {
      if (tokens[i] == config.imageToken()) {
        boolean isNew = i == 0 || tokens[i - 1] < 1_000_000;
        run += isNew ? 1 : 0;
        tokens[i] = 1_000_000 + (int) (media[Math.min(run, media.length - 1)] & 0x3fffffff);
      }
    }
    return run >= 0;
  }

  private void remove(ReferenceEvent event, int dpRank, String tier) {
    List<String> blocks = new ArrayList<>();
    for (long hash : event.hashes()) {
      String key = dpRank + "/" + tier + "/" + hash;
      boolean isCounted = policies.contains(Policy.COPIES_COUNT);
      int left = isCounted ? copies.getOrDefault(key, 1) - 1 : 0;
      if (left > 0) {
        copies.put(key, left);
      } else {
        copies.remove(key);
        if (!holds(dpRank, hash)) {
          namespaces.remove(dpRank + "/" + hash);
        }
        blocks.add(Long.toUnsignedString(hash));
      }
    }
    if (!blocks.isEmpty()) {
      published.add(new PublishedEvent(tier, dpRank, "removed", null, blocks));
    }
  }

  /* --------------- Neighbours --------------- */

  private List<PublishedEvent> join(List<PublishedEvent> events) {
    List<PublishedEvent> joined = new ArrayList<>();
    for (PublishedEvent event : events) {
      PublishedEvent last = joined.isEmpty() ? null : joined.get(joined.size() - 1);
      if (last != null && continues(last, event)) {
        List<String> blocks = new ArrayList<>(last.blocks());
        blocks.addAll(event.blocks());
        joined.set(
            joined.size() - 1,
            new PublishedEvent(last.tier(), last.dpRank(), last.kind(), last.parent(), blocks));
      } else {
        joined.add(event);
      }
    }
    return joined;
  }

  private boolean continues(PublishedEvent last, PublishedEvent next) {
    int waiting = last.blocks().size();
    boolean isAlike =
        last.kind().equals(next.kind())
            && last.tier().equals(next.tier())
            && last.dpRank() == next.dpRank()
            && waiting > 0
            && waiting <= 128;
    if (!isAlike || next.kind().equals("removed")) {
      return isAlike;
    }
    if (policies.contains(Policy.JOIN_NAMES_BLOCKS_ONCE) && namesTwice(last, next)) {
      return false;
    }
    return next.parent() != null && last.blocks().get(waiting - 1).startsWith(next.parent() + ":");
  }

  private static boolean namesTwice(PublishedEvent last, PublishedEvent next) {
    Set<String> named = new HashSet<>(last.withoutContents().blocks());
    named.add(last.parent() + "");
    return next.withoutContents().blocks().stream().anyMatch(named::contains);
  }
}
