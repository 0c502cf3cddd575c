// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Where the record of a node lies and what its bits mean. Chunks never move: a longer directory has
 * the same ones, wider records have others, and the old ones then say that all in them has changed.
 */
final class NodeLayout {
  /*
   * Structure  A node is some longs of a chunk; node 0 is the root, which has no edge.
   *
   *   HEAD       version : 48 | has partials : 1 | owns : 1 | capacity : 7 | length : 7
   *   PLACE      start address : 32 | parent : 32
   *   FAMILY     xor of the children's ids : 32 | number of children : 32      the writer's
   *   WORDS ..   who holds every block of the edge: FullHolders
   *
   *            A version is odd while its node is being changed or is nobody's; even ones are drawn
   *            from one counter, so that none comes twice, in whatever node.
   */

  static final int HEAD = 0;
  static final int PLACE = 1;
  static final int FAMILY = 2;
  static final int WORDS = 3;

  static final int VERSION_SHIFT = 16;
  static final long CHANGING = 1L << VERSION_SHIFT;
  static final long PARTIALS = 1L << 15;
  static final long OWNS = 1L << 14;
  static final int CAPACITY_SHIFT = 7;
  static final long SIZE_MASK = 0x7f;

  private static final int CHUNK_BITS = 9;
  static final int CHUNK_NODES = 1 << CHUNK_BITS;
  private static final int INITIAL_CHUNKS = 4;

  private final HolderForm form;
  private final boolean hasBits;
  private final int words;
  private final int stride;
  private final long[] @Nullable [] chunks;
  private final @Nullable PartialHolders[] @Nullable [] partials;
  private final long[] @Nullable [] @Nullable [] crowds;

  private NodeLayout(HolderForm form, int words, int chunks) {
    this.form = form;
    this.hasBits = form.hasBitsFor(words);
    this.words = hasBits ? words : SlotNumbers.LONGS;
    this.stride = WORDS + this.words;
    this.chunks = new long[chunks][];
    this.partials = new PartialHolders[chunks][];
    this.crowds = new long[hasBits ? 0 : chunks][][];
  }

  /** Returns a layout for few ranks, with its first chunk. */
  static NodeLayout of(HolderForm form) {
    NodeLayout layout = new NodeLayout(form, 1, INITIAL_CHUNKS);
    layout.addChunk(0);
    return layout;
  }

  HolderForm form() {
    return form;
  }

  /** Returns whether each record has a bit for each slot, and not a few numbers of slots. */
  boolean hasBits() {
    return hasBits;
  }

  /** Returns the longs of a record that say who holds the edge. */
  int words() {
    return words;
  }

  /** Returns the number of chunks that the directory has room for. */
  int chunkLimit() {
    return chunks.length;
  }

  static int chunkOf(int node) {
    return node >>> CHUNK_BITS;
  }

  /** Returns the chunk that a node is in, null if this layout is too old to know it. */
  long @Nullable [] chunk(int node) {
    int chunk = node >>> CHUNK_BITS;
    return chunk < chunks.length ? chunks[chunk] : null;
  }

  /** Returns where in its chunk a node begins. */
  int base(int node) {
    return (node & CHUNK_NODES - 1) * stride;
  }

  /** Returns who holds some blocks of a node, null if nobody does. */
  @Nullable PartialHolders partials(int node) {
    @Nullable PartialHolders @Nullable [] chunk = partials[node >>> CHUNK_BITS];
    return chunk == null ? null : chunk[node & CHUNK_NODES - 1];
  }

  void setPartials(int node, @Nullable PartialHolders some) {
    int index = node >>> CHUNK_BITS;
    @Nullable PartialHolders @Nullable [] chunk = partials[index];
    if (chunk == null) {
      chunk = new PartialHolders[CHUNK_NODES];
      partials[index] = chunk;
    }
    chunk[node & CHUNK_NODES - 1] = some;
  }

  /**
   * Returns the slots that hold a node's edge as bits, as many as the highest takes; null if they
   * are numbers in the record.
   */
  long @Nullable [] crowd(int node) {
    long @Nullable [] @Nullable [] chunk = crowds[node >>> CHUNK_BITS];
    return chunk == null ? null : chunk[node & CHUNK_NODES - 1];
  }

  void setCrowd(int node, long @Nullable [] crowd) {
    int index = node >>> CHUNK_BITS;
    long @Nullable [] @Nullable [] chunk = crowds[index];
    if (chunk == null) {
      chunk = new long[CHUNK_NODES][];
      crowds[index] = chunk;
    }
    chunk[node & CHUNK_NODES - 1] = crowd;
  }

  /** Adds a chunk of nodes that are nobody's. */
  void addChunk(int index) {
    long[] chunk = new long[CHUNK_NODES * stride];
    for (int base = 0; base < chunk.length; base += stride) {
      chunk[base] = CHANGING;
    }
    chunks[index] = chunk;
  }

  /** Returns the same chunks in a directory of another length. */
  NodeLayout withChunkLimit(int limit) {
    return withChunks(Math.min(limit, chunks.length), limit);
  }

  /** Returns this layout with its first chunk alone. */
  NodeLayout firstChunk() {
    return withChunks(1, INITIAL_CHUNKS);
  }

  private NodeLayout withChunks(int kept, int limit) {
    NodeLayout other = new NodeLayout(form, hasBits ? words : Integer.MAX_VALUE, limit);
    System.arraycopy(chunks, 0, other.chunks, 0, kept);
    System.arraycopy(partials, 0, other.partials, 0, kept);
    System.arraycopy(crowds, 0, other.crowds, 0, Math.min(kept, crowds.length));
    return other;
  }

  /**
   * Returns copies of all records for more slots, the bits of {@code toWords} longs; from so many
   * on that bits are too many, numbers of slots.
   */
  NodeLayout widened(int toWords) {
    NodeLayout wider = new NodeLayout(form, toWords, chunks.length);
    for (int i = 0; i < chunks.length; i++) {
      long[] chunk = chunks[i];
      wider.partials[i] = partials[i];
      if (chunk == null) {
        continue;
      }
      long[] copy = new long[CHUNK_NODES * wider.stride];
      wider.chunks[i] = copy;
      int copied = wider.hasBits ? stride : WORDS;
      for (int node = 0; node < CHUNK_NODES; node++) {
        System.arraycopy(chunk, node * stride, copy, node * wider.stride, copied);
        if (!wider.hasBits) {
          int from = node * stride + WORDS;
          long[] bits = Arrays.copyOfRange(chunk, from, from + words);
          FullHolders.write(wider, (i << CHUNK_BITS) + node, bits);
        }
      }
    }
    return wider;
  }

  /** Tells whoever still reads these records that all of them have changed. */
  void retire() {
    for (long[] chunk : chunks) {
      for (int base = 0; chunk != null && base < chunk.length; base += stride) {
        Racy.setOpaque(chunk, base, chunk[base] | CHANGING);
      }
    }
  }

  /* --------------- Heads --------------- */

  static boolean isChanging(long head) {
    return (head & CHANGING) != 0;
  }

  static boolean isSameVersion(long head, long other) {
    return (head ^ other) >>> VERSION_SHIFT == 0;
  }

  static int length(long head) {
    return (int) (head & SIZE_MASK);
  }

  static int capacity(long head) {
    return (int) (head >>> CAPACITY_SHIFT & SIZE_MASK);
  }

  /** Returns all blocks of an edge as bits. */
  static long allBlocks(int length) {
    return length == 64 ? -1L : (1L << length) - 1;
  }

  static int start(long place) {
    return (int) (place >>> 32);
  }

  static int parent(long place) {
    return (int) place;
  }
}
