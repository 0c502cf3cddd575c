// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What one event of an engine says, as a view that its {@link EngineBatchReader} writes anew for
 * every event: arrays are the reader's own buffers, longer than their content.
 */
public final class EngineEvent {
  /** Entries that a buffer keeps from one message to the next; larger ones are let go. */
  private static final int RETAINED = 1 << 16;

  private static final long[] NO_MEDIA = {};

  /** What happened. */
  public enum Kind {
    /** Blocks were stored. */
    STORED,
    /** Blocks were removed. */
    REMOVED,
    /** Every block is gone. */
    CLEARED,
    /** The engine tells the size of one of its attention windows. */
    WINDOW,
    /** Known to say nothing about blocks. */
    IGNORED
  }

  /** Where the {@link #salt} stood, which says who else takes notice of it. */
  public enum SaltSource {
    /** No salt. */
    NONE,
    /** A field of its own, or an extra key that is marked as a salt. */
    DECLARED,
    /** Nested in metadata: Dynamo 1.6.1 does not look there. */
    NESTED,
    /** An unmarked key of a sequence's first block: Dynamo 1.6.1 takes no notice of it. */
    BARE
  }

  Kind kind = Kind.IGNORED;

  long[] hashes = new long[16];
  int hashCount;
  boolean hasHashes;
  boolean hasParent;
  long parentHash;

  int[] tokens = new int[64];
  int tokenCount;
  boolean hasTokens;
  boolean pairs;

  int[] tokenEnds = new int[16];
  boolean hasTokenEnds;
  int blockSize;
  boolean hasBlockSize;

  @Nullable String medium;
  @Nullable String loraName;
  boolean hasLoraId;
  long loraId;
  @Nullable String salt;
  SaltSource saltSource = SaltSource.NONE;

  long groupIndex = -1;
  @Nullable String attentionKind;
  long window = -1;
  @Nullable String locality;
  @Nullable String ownership;
  boolean hasRank;
  int dpRank;

  long[] media = new long[16];
  int[] mediaEnds = new int[16];
  int mediaBlocks;
  boolean unsupportedKey;
  boolean dictionary;

  EngineEvent() {}

  void reset() {
    kind = Kind.IGNORED;
    hashCount = 0;
    hasHashes = false;
    hasParent = false;
    parentHash = 0;
    tokenCount = 0;
    hasTokens = false;
    pairs = false;
    hasTokenEnds = false;
    blockSize = 0;
    hasBlockSize = false;
    medium = null;
    loraName = null;
    hasLoraId = false;
    loraId = 0;
    salt = null;
    saltSource = SaltSource.NONE;
    groupIndex = -1;
    attentionKind = null;
    window = -1;
    locality = null;
    ownership = null;
    hasRank = false;
    dpRank = 0;
    mediaBlocks = 0;
    unsupportedKey = false;
    dictionary = false;
  }

  /** Lets buffers go that one large message has grown. */
  void trim() {
    hashes = hashes.length > RETAINED ? new long[16] : hashes;
    tokens = tokens.length > RETAINED ? new int[64] : tokens;
    tokenEnds = tokenEnds.length > RETAINED ? new int[16] : tokenEnds;
    media = media.length > RETAINED ? new long[16] : media;
    mediaEnds = mediaEnds.length > RETAINED ? new int[16] : mediaEnds;
  }

  void reserveHashes(int count) {
    if (hashes.length < count) {
      hashes = new long[count];
    }
  }

  void reserveTokens(int count) {
    if (tokens.length < count) {
      tokens = Arrays.copyOf(tokens, Math.max(count, tokens.length * 2));
    }
  }

  void reserveTokenEnds(int count) {
    if (tokenEnds.length < count) {
      tokenEnds = new int[count];
    }
  }

  /** Begins the list of media of {@code blocks} blocks. */
  void startMedia(int blocks) {
    if (mediaEnds.length < blocks) {
      mediaEnds = new int[blocks];
    }
    mediaBlocks = 0;
  }

  void addMedium(long hash) {
    int count = mediaCount();
    if (count == media.length) {
      media = Arrays.copyOf(media, count * 2);
    }
    media[count] = hash;
    mediaEnds[mediaBlocks] = count + 1;
  }

  /** Begins the next block, which has no media so far; {@link #endMediaBlock} ends it. */
  void startMediaBlock() {
    mediaEnds[mediaBlocks] = mediaBlocks == 0 ? 0 : mediaEnds[mediaBlocks - 1];
  }

  void endMediaBlock() {
    mediaBlocks++;
  }

  private int mediaCount() {
    return mediaEnds[mediaBlocks];
  }

  public Kind kind() {
    return kind;
  }

  /** Returns a buffer that begins with {@link #hashCount} block hashes as 64-bit patterns. */
  public long[] hashes() {
    return hashes;
  }

  public int hashCount() {
    return hashCount;
  }

  public boolean hasParent() {
    return hasParent;
  }

  /** Returns the parent's hash as a 64-bit pattern; meaningless unless {@link #hasParent()}. */
  public long parentHash() {
    return parentHash;
  }

  /** Returns a buffer that begins with {@link #tokenCount} token ids, unsigned. */
  public int[] tokens() {
    return tokens;
  }

  public int tokenCount() {
    return tokenCount;
  }

  /** Returns whether tokens were given as overlapping pairs, as EAGLE does; they are flat here. */
  public boolean isEagle() {
    return pairs;
  }

  /** Returns tokens a block, 0 where each block lists its own. */
  public int blockSize() {
    return blockSize;
  }

  /** Returns whether each block lists its own tokens. */
  public boolean listsTokensOfEachBlock() {
    return hasTokenEnds;
  }

  /** Returns where the tokens of a block end, if {@link #listsTokensOfEachBlock()}. */
  public int tokensEnd(int block) {
    return tokenEnds[block];
  }

  /** Returns the engine's name of where the blocks are, null or empty for the device. */
  public @Nullable String medium() {
    return medium;
  }

  public @Nullable String loraName() {
    return loraName;
  }

  /** Returns whether an adapter is given by number, whatever its name. */
  public boolean hasLoraId() {
    return hasLoraId;
  }

  /** Returns the adapter's number, 0 where it is given by something else. */
  public long loraId() {
    return loraId;
  }

  /** Returns the namespace of the first block, null for none or for that of its parent. */
  public @Nullable String salt() {
    return salt;
  }

  public SaltSource saltSource() {
    return saltSource;
  }

  /** Returns the number of the attention group, below 0 for none. */
  public long groupIndex() {
    return groupIndex;
  }

  public @Nullable String attentionKind() {
    return attentionKind;
  }

  /** Returns the size of the sliding window in tokens, below 0 for none. */
  public long window() {
    return window;
  }

  public @Nullable String locality() {
    return locality;
  }

  public @Nullable String ownership() {
    return ownership;
  }

  /** Returns whether the event names a rank of its own. */
  public boolean hasRank() {
    return hasRank;
  }

  /** Returns the event's own rank, unsigned; meaningless unless {@link #hasRank()}. */
  public int dpRank() {
    return dpRank;
  }

  /** Returns how many leading blocks the list of media speaks of. */
  public int mediaBlocks() {
    return mediaBlocks;
  }

  /** Returns the hashes of the media that touch a block; a new array unless there are none. */
  public long[] mediaOf(int block) {
    if (block >= mediaBlocks) {
      return NO_MEDIA;
    }
    int from = block == 0 ? 0 : mediaEnds[block - 1];
    return from == mediaEnds[block] ? NO_MEDIA : Arrays.copyOfRange(media, from, mediaEnds[block]);
  }

  /** Returns whether a key beside the tokens makes blocks differ in a way that is not known. */
  public boolean hasUnsupportedKey() {
    return unsupportedKey;
  }

  /**
   * Returns whether this is one of TensorRT-LLM's dictionaries, whose {@link #window} names the
   * pool of blocks that the event is about.
   */
  public boolean isDictionary() {
    return dictionary;
  }
}
