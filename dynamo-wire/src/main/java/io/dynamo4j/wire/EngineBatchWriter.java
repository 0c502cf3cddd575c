// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import org.jspecify.annotations.Nullable;

/**
 * Writes a batch as engines publish it: {@code [time, events, rank]}, each event a map with the
 * keys of vLLM 0.24 and later, which every consumer of engine events reads.
 *
 * <p><b>Cost.</b> O(bytes). <b>Threads.</b> Not thread-safe.
 */
public final class EngineBatchWriter {
  private static final String DEVICE = "GPU";

  private final MsgpackWriter out = MsgpackWriter.ofExpectedSize(512);
  private final int opened;
  private int events;
  private String medium = DEVICE;
  private @Nullable String loraName;
  private @Nullable String cacheSalt;

  private EngineBatchWriter(double seconds) {
    out.array(3).float64(seconds);
    opened = out.openArray();
  }

  /**
   * Begins a batch.
   *
   * @param seconds the engine's wall time since 1970, for whoever reads it; nobody here does
   */
  public static EngineBatchWriter create(double seconds) {
    return new EngineBatchWriter(seconds);
  }

  /**
   * Sets where the blocks of the following events are, in the engine's words; first {@code GPU}.
   */
  public EngineBatchWriter medium(String name) {
    this.medium = name;
    return this;
  }

  /** Sets the adapter of the following stores; null, as at first, for the base model. */
  public EngineBatchWriter loraName(@Nullable String name) {
    this.loraName = name;
    return this;
  }

  /** Sets what keeps the following stores apart from equal tokens of others; first null. */
  public EngineBatchWriter cacheSalt(@Nullable String salt) {
    this.cacheSalt = salt;
    return this;
  }

  /**
   * Says that a sequence's first blocks are there now.
   *
   * @param blockHashes the engine's own, each the parent of the next
   * @param tokens unsigned, of all blocks one after the other
   * @param blockSize tokens a block
   */
  public EngineBatchWriter storedRoot(long[] blockHashes, int[] tokens, int blockSize) {
    return stored(blockHashes, false, 0, tokens, blockSize);
  }

  /** Says that blocks are there now behind a block that was there before. */
  public EngineBatchWriter storedBehind(
      long parentHash, long[] blockHashes, int[] tokens, int blockSize) {
    return stored(blockHashes, true, parentHash, tokens, blockSize);
  }

  private EngineBatchWriter stored(
      long[] blockHashes, boolean hasParent, long parentHash, int[] tokens, int blockSize) {
    begin(cacheSalt == null ? 8 : 9, "BlockStored");
    hashes(blockHashes);
    out.string("parent_block_hash");
    if (hasParent) {
      out.unsigned(parentHash);
    } else {
      out.nil();
    }
    out.string("token_ids").array(tokens.length);
    for (int token : tokens) {
      out.unsigned(Integer.toUnsignedLong(token));
    }
    out.string("block_size").unsigned(blockSize).string("lora_id").nil();
    text("medium", medium);
    text("lora_name", loraName);
    if (cacheSalt != null) {
      text("cache_salt", cacheSalt);
    }
    return this;
  }

  /** Says that blocks are gone from where {@link #medium} says. */
  public EngineBatchWriter removed(long... blockHashes) {
    begin(3, "BlockRemoved");
    hashes(blockHashes);
    text("medium", medium);
    return this;
  }

  /** Says that every block is gone. */
  public EngineBatchWriter cleared() {
    begin(1, "AllBlocksCleared");
    return this;
  }

  private void begin(int entries, String tag) {
    events++;
    out.map(entries).string("type").string(tag);
  }

  private void hashes(long[] blockHashes) {
    out.string("block_hashes").array(blockHashes.length);
    for (long hash : blockHashes) {
      out.unsigned(hash);
    }
  }

  private void text(String key, @Nullable String value) {
    out.string(key);
    if (value == null) {
      out.nil();
    } else {
      out.string(value);
    }
  }

  /** Ends the batch with the rank that it is of, unsigned; nothing can follow. */
  public byte[] toBytes(int dpRank) {
    out.close(opened, events);
    out.unsigned(Integer.toUnsignedLong(dpRank));
    return out.toByteArray();
  }
}
