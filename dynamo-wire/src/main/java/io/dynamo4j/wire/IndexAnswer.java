// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.wire.WireFormatException.Reason;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a served index answers: for each tier how many blocks each rank holds, or why there is no
 * answer. A tier below the device counts what it adds to the tiers before it.
 *
 * <p>Written is the shape of Dynamo 1.6.1. Tiers and keys that are not known are ignored; of a tier
 * that comes twice the last counts.
 */
public final class IndexAnswer {
  private static final WireNames KINDS = WireNames.of("TieredScores", "Error");
  private static final WireNames KEYS =
      WireNames.of("device", "lower_tier", "scores", "hits", "worker_id", "dp_rank");

  private final Map<StorageTier, Map<WorkerWithDpRank, Integer>> tiers;
  private final @Nullable String error;

  private IndexAnswer(
      Map<StorageTier, Map<WorkerWithDpRank, Integer>> tiers, @Nullable String error) {
    this.tiers = tiers;
    this.error = error;
  }

  /** Returns an answer; a tier that is absent has no hits. */
  public static IndexAnswer of(Map<StorageTier, Map<WorkerWithDpRank, Integer>> tiers) {
    Map<StorageTier, Map<WorkerWithDpRank, Integer>> copy = new EnumMap<>(StorageTier.class);
    tiers.forEach((tier, hits) -> copy.put(tier, new LinkedHashMap<>(hits)));
    return new IndexAnswer(copy, null);
  }

  /** Returns a refusal. */
  public static IndexAnswer ofError(String text) {
    return new IndexAnswer(Collections.emptyMap(), text);
  }

  /** Returns the blocks of each rank in a tier. */
  public Map<WorkerWithDpRank, Integer> hits(StorageTier tier) {
    Map<WorkerWithDpRank, Integer> hits = tiers.get(tier);
    return hits == null ? Collections.emptyMap() : Collections.unmodifiableMap(hits);
  }

  /** Returns why there is no answer, null if there is one. */
  public @Nullable String error() {
    return error;
  }

  /* --------------- Writing --------------- */

  public byte[] encode() {
    MsgpackWriter out = MsgpackWriter.ofExpectedSize(256).map(1);
    if (error != null) {
      return out.string("Error").string(error).toByteArray();
    }
    out.string("TieredScores").map(2).string("device").map(2);
    write(hits(StorageTier.DEVICE), out.string("scores"));
    out.string("frequencies").array(0);
    int lower = 0;
    for (StorageTier tier : StorageTier.values()) {
      lower += isWritten(tier) ? 1 : 0;
    }
    out.string("lower_tier").array(lower);
    for (StorageTier tier : StorageTier.values()) {
      if (isWritten(tier)) {
        out.array(2).string(tier.wireName()).map(1);
        write(hits(tier), out.string("hits"));
      }
    }
    return out.toByteArray();
  }

  private boolean isWritten(StorageTier tier) {
    return tier != StorageTier.DEVICE && !hits(tier).isEmpty();
  }

  private static void write(Map<WorkerWithDpRank, Integer> hits, MsgpackWriter out) {
    out.array(hits.size());
    hits.forEach(
        (worker, blocks) -> {
          out.array(2).map(2).string("worker_id").unsigned(worker.workerId());
          out.string("dp_rank").unsigned(Integer.toUnsignedLong(worker.dpRank()));
          out.unsigned(blocks);
        });
  }

  /* --------------- Reading --------------- */

  /**
   * Reads an answer.
   *
   * @throws WireFormatException if it is of no known kind, truncated or has bytes left over
   */
  public static IndexAnswer decode(byte[] bytes) {
    MsgpackReader in = MsgpackReader.of(bytes);
    if (in.readMapHeader() != 1) {
      throw in.fault(Reason.MALFORMED, "index answer");
    }
    IndexAnswer answer =
        switch (in.readName(KINDS)) {
          case "Error" -> ofError(in.readString());
          case "TieredScores" -> new IndexAnswer(readTiers(in), null);
          default -> throw in.fault(Reason.MALFORMED, "kind of index answer");
        };
    if (in.hasRemaining()) {
      throw in.fault(Reason.TRAILING_BYTES, "index answer");
    }
    return answer;
  }

  private static Map<StorageTier, Map<WorkerWithDpRank, Integer>> readTiers(MsgpackReader in) {
    Map<StorageTier, Map<WorkerWithDpRank, Integer>> tiers = new EnumMap<>(StorageTier.class);
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(KEYS)) {
        case "device" -> tiers.put(StorageTier.DEVICE, readNamed("scores", in));
        case "lower_tier" -> readLower(in, tiers);
        default -> in.skip();
      }
    }
    return tiers;
  }

  private static void readLower(
      MsgpackReader in, Map<StorageTier, Map<WorkerWithDpRank, Integer>> tiers) {
    int count = in.readArrayHeader();
    for (int i = 0; i < count; i++) {
      if (in.readArrayHeader() != 2) {
        throw in.fault(Reason.MALFORMED, "tier of index answer");
      }
      String name = in.readString();
      Map<WorkerWithDpRank, Integer> hits = readNamed("hits", in);
      for (StorageTier tier : StorageTier.values()) {
        if (tier != StorageTier.DEVICE && tier.wireName().equals(name)) {
          tiers.put(tier, hits);
        }
      }
    }
  }

  /** Reads a map of which one entry has the hits. */
  private static Map<WorkerWithDpRank, Integer> readNamed(String name, MsgpackReader in) {
    Map<WorkerWithDpRank, Integer> hits = new LinkedHashMap<>();
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      if (in.readName(KEYS).equals(name)) {
        readHits(in, hits);
      } else {
        in.skip();
      }
    }
    return hits;
  }

  private static void readHits(MsgpackReader in, Map<WorkerWithDpRank, Integer> hits) {
    int count = in.readArrayHeader();
    for (int i = 0; i < count; i++) {
      if (in.readArrayHeader() != 2) {
        throw in.fault(Reason.MALFORMED, "hit of index answer");
      }
      WorkerWithDpRank worker = readWorker(in);
      int blocks = in.readBits32();
      if (blocks < 0) {
        throw in.fault(Reason.MALFORMED, "blocks of index answer");
      }
      if (blocks > 0) {
        hits.put(worker, blocks);
      }
    }
  }

  private static WorkerWithDpRank readWorker(MsgpackReader in) {
    long workerId = 0;
    int dpRank = 0;
    boolean isNamed = false;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(KEYS)) {
        case "worker_id" -> {
          workerId = in.readBits64();
          isNamed = true;
        }
        case "dp_rank" -> dpRank = in.readBits32();
        default -> in.skip();
      }
    }
    if (!isNamed) {
      throw in.fault(Reason.MALFORMED, "rank of index answer");
    }
    return new WorkerWithDpRank(workerId, dpRank);
  }
}
