// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.wire.MsgpackReader.Kind;
import io.dynamo4j.wire.RouterEventBatch.Reject;
import io.dynamo4j.wire.WireFormatException.Reason;
import org.jspecify.annotations.Nullable;

/** Reads one event map, already known to be whole. One instance an event. */
final class RouterEventDecoder {
  private static final WireNames KEYS =
      WireNames.of(
          "worker_id",
          "storage_tier",
          "residency_domain",
          "event",
          "event_id",
          "data",
          "dp_rank",
          "block_hashes",
          "parent_hash",
          "blocks",
          "block_hash",
          "tokens_hash");

  private final MsgpackReader in;

  private @Nullable Long workerId;
  private StorageTier tier = StorageTier.DEVICE;
  private @Nullable KvCacheEvent event;
  private @Nullable Reject reject;

  private RouterEventDecoder(MsgpackReader in) {
    this.in = in;
  }

  /** Returns the {@link RouterEvent}, or the {@link Reject} that says why there is none. */
  static Object decode(MsgpackReader element) {
    try {
      element.depth();
      return new RouterEventDecoder(element).readEvent();
    } catch (WireFormatException e) {
      return switch (e.reason()) {
        case TOO_LARGE -> Reject.TOO_LARGE;
        case TOO_DEEP -> Reject.TOO_DEEP;
        case TRUNCATED, TRAILING_BYTES, MALFORMED -> Reject.MALFORMED;
      };
    }
  }

  private Object readEvent() {
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(KEYS)) {
        case "worker_id" -> workerId = in.readBits64();
        case "storage_tier" -> readTier();
        case "residency_domain" -> readResidencyDomain();
        case "event" -> readCacheEvent();
        default -> in.skip();
      }
    }
    if (reject != null) {
      return reject;
    }
    if (workerId == null || event == null) {
      return Reject.MALFORMED;
    }
    return RouterEvent.of(workerId, tier, event);
  }

  private void readTier() {
    String name = in.readString();
    for (StorageTier candidate : StorageTier.values()) {
      if (candidate.wireName().equals(name)) {
        tier = candidate;
        return;
      }
    }
    refuse(Reject.UNKNOWN_TIER);
  }

  private void readResidencyDomain() {
    if (in.nextKind() != Kind.STRING) {
      in.skip();
      refuse(Reject.UNSUPPORTED_RESIDENCY_DOMAIN);
      return;
    }
    switch (in.readString()) {
      case "worker" -> {}
      case "cache_owner" -> refuse(Reject.CACHE_OWNER);
      default -> refuse(Reject.UNSUPPORTED_RESIDENCY_DOMAIN);
    }
  }

  /** Remembers the first fault; the rest of the event is still read. */
  private void refuse(Reject reason) {
    if (reject == null) {
      reject = reason;
    }
  }

  private void readCacheEvent() {
    Long eventId = null;
    KvCacheEventData data = null;
    int dpRank = 0;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(KEYS)) {
        case "event_id" -> eventId = in.readBits64();
        case "data" -> data = readData();
        case "dp_rank" -> dpRank = in.readBits32();
        default -> in.skip();
      }
    }
    if (eventId == null || data == null) {
      refuse(Reject.MALFORMED);
      return;
    }
    event = KvCacheEvent.of(eventId, dpRank, data);
  }

  /** Reads {@code "cleared"} or a map of one entry that is named by its variant. */
  private @Nullable KvCacheEventData readData() {
    boolean isBareName = in.nextKind() == Kind.STRING;
    if (!isBareName && in.readMapHeader() != 1) {
      throw in.fault(Reason.MALFORMED, "event data");
    }
    String variant = in.readString();
    switch (variant) {
      case "cleared" -> {
        if (!isBareName && !in.tryNil()) {
          throw in.fault(Reason.MALFORMED, "cleared");
        }
        return KvCacheEventData.Cleared.instance();
      }
      case "stored" -> {
        return readStored();
      }
      case "removed" -> {
        return readRemoved();
      }
      default -> {
        if (!isBareName) {
          in.skip();
        }
        refuse(Reject.UNKNOWN_KIND);
        return null;
      }
    }
  }

  private KvCacheEventData readRemoved() {
    long[] hashes = null;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      if (!in.readName(KEYS).equals("block_hashes")) {
        in.skip();
        continue;
      }
      hashes = new long[in.readArrayHeader()];
      for (int block = 0; block < hashes.length; block++) {
        hashes[block] = in.readBits64();
      }
    }
    if (hashes == null) {
      throw in.fault(Reason.MALFORMED, "block_hashes");
    }
    return KvCacheEventData.Removed.of(hashes);
  }

  private KvCacheEventData readStored() {
    boolean hasParent = false;
    long parentHash = 0;
    long[][] blocks = null;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(KEYS)) {
        case "parent_hash" -> {
          hasParent = !in.tryNil();
          parentHash = hasParent ? in.readBits64() : 0;
        }
        case "blocks" -> blocks = readBlocks();
        default -> in.skip();
      }
    }
    if (blocks == null) {
      throw in.fault(Reason.MALFORMED, "blocks");
    }
    return hasParent
        ? KvCacheEventData.Stored.under(parentHash, blocks[0], blocks[1])
        : KvCacheEventData.Stored.atRoot(blocks[0], blocks[1]);
  }

  /** Returns block hashes and tokens hashes. */
  private long[][] readBlocks() {
    int count = in.readArrayHeader();
    long[][] blocks = {new long[count], new long[count]};
    for (int block = 0; block < count; block++) {
      int seen = 0;
      int entries = in.readMapHeader();
      for (int i = 0; i < entries; i++) {
        switch (in.readName(KEYS)) {
          case "block_hash" -> {
            blocks[0][block] = in.readBits64();
            seen |= 1;
          }
          case "tokens_hash" -> {
            blocks[1][block] = in.readBits64();
            seen |= 2;
          }
          default -> in.skip();
        }
      }
      if (seen != 3) {
        throw in.fault(Reason.MALFORMED, "block");
      }
    }
    return blocks;
  }
}
