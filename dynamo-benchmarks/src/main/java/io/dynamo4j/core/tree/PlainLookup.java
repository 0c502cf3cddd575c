// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What a plain lookup costs on the arrays of a tree: one loop over them that nobody writes beside.
 * It reads the very arrays of the tree, each node once, and does none of what readers beside a
 * writer need: no versions, no ordered reads, no retries, no scope, no path to check in the end.
 * Its result is the same, slots and depths in two arrays, and is written one by one, where a lookup
 * copies slots that follow one another.
 *
 * <p><b>Threads.</b> None but the caller's, and no writer.
 */
public final class PlainLookup {
  private static final int PAGE_BITS = 10;
  private static final int PAGE_MASK = (1 << PAGE_BITS) - 1;
  private static final int CHUNK_BITS = Integer.numberOfTrailingZeros(NodeLayout.CHUNK_NODES);

  private final ChildTable children;
  private final long[] entries;
  private final long[][] chunks;
  private final long[][] pages;
  private final @Nullable PartialHolders[] partials;
  private final long[] occupied;
  private final int words;
  private final int stride;
  private final long[] active;
  private final int[] slots;
  private final int[] depths;
  private int size;

  private PlainLookup(Parts parts) {
    NodeLayout layout = parts.nodes.layout();
    RankSlots.Tenants tenants = parts.slots.tenants();
    if (!layout.hasBits()) {
      throw new IllegalStateException("not measured for so many ranks: ranks=" + tenants.count());
    }
    this.children = parts.children;
    this.entries = parts.children.entries();
    this.words = tenants.words();
    this.stride = layout.base(1);
    this.occupied = new long[words];
    for (int word = 0; word < words; word++) {
      occupied[word] = tenants.occupiedWord(word);
    }
    int limit = parts.nodes.limit();
    this.chunks = new long[NodeLayout.chunkOf(limit) + 1][];
    this.partials = new PartialHolders[limit];
    this.pages = pagesOf(parts, layout, limit);
    this.active = new long[words];
    this.slots = new int[words << 6];
    this.depths = new int[words << 6];
  }

  private long[][] pagesOf(Parts parts, NodeLayout layout, int limit) {
    long[][] found = new long[1][];
    for (int node = 0; node < limit; node++) {
      long[] chunk = layout.chunk(node);
      if (chunk == null) {
        continue;
      }
      chunks[NodeLayout.chunkOf(node)] = chunk;
      if (NodeLayout.isChanging(chunk[layout.base(node)])) {
        continue; // nobody's
      }
      partials[node] = parts.nodes.partials(node);
      int start = NodeLayout.start(chunk[layout.base(node) + NodeLayout.PLACE]);
      int page = start >>> PAGE_BITS;
      found = page < found.length ? found : Arrays.copyOf(found, Math.max(page + 1, page * 2));
      found[page] = parts.blocks.pageOf(start);
    }
    return found;
  }

  /** A tree whose arrays can be had. */
  public static final class Opened {
    private final RadixTree tree;
    private @Nullable Parts parts;

    private Opened(long seed) {
      this.tree =
          new RadixTree(
              seed,
              RadixTree.MAX_RANKS,
              Long.MAX_VALUE,
              Long.MAX_VALUE,
              HolderForm.STANDARD,
              (clock, slots, nodes, blocks, children) -> {
                parts = new Parts(slots, nodes, blocks, children);
                return new PrefixWalk(clock, slots, nodes, blocks, children);
              });
    }

    /** Returns an empty tree, like {@link RadixTree#create} with this seed. */
    public static Opened create(long seed) {
      return new Opened(seed);
    }

    public RadixTree tree() {
      return tree;
    }

    /**
     * Returns the lookup over the arrays as they are; the tree must not change from now on.
     *
     * @throws IllegalStateException if the tree has not been looked into yet
     */
    public PlainLookup plain() {
      if (parts == null) {
        throw new IllegalStateException("tree has had no lookup: blocks=" + tree.blockCount());
      }
      return new PlainLookup(parts);
    }
  }

  private record Parts(RankSlots slots, NodeArena nodes, BlockArena blocks, ChildTable children) {}

  /** Returns the number of slots found by the last lookup. */
  public int size() {
    return size;
  }

  /** Returns the sum over the last result that {@code depth * (slot + 1)} gives. */
  public long digest() {
    long sum = 0;
    for (int i = 0; i < size; i++) {
      sum += (long) depths[i] * (slots[i] + 1);
    }
    return sum;
  }

  /** Looks a query up. */
  public void find(long[] query) {
    size = 0;
    System.arraycopy(occupied, 0, active, 0, words);
    int count = query.length;
    int node = 0;
    int depth = 0;
    while (depth < count) {
      int child = child(node, query[depth]);
      if (child == 0) {
        break;
      }
      long[] chunk = chunks[child >>> CHUNK_BITS];
      int base = (child & (NodeLayout.CHUNK_NODES - 1)) * stride;
      int length = NodeLayout.length(chunk[base]);
      int start = NodeLayout.start(chunk[base + NodeLayout.PLACE]);
      int limit = Math.min(length, count - depth);
      int offset = start & PAGE_MASK;
      int difference =
          Arrays.mismatch(
              query, depth, depth + limit, pages[start >>> PAGE_BITS], offset, offset + limit);
      int matched = difference < 0 ? limit : difference;
      boolean isAnyLeft = narrow(child, chunk, base + NodeLayout.WORDS, depth, matched);
      depth += matched;
      if (!isAnyLeft || matched < length) {
        break;
      }
      node = child;
    }
    for (int word = 0; depth > 0 && word < words; word++) {
      emit(word << 6, active[word], depth);
    }
  }

  private int child(int node, long firstHash) {
    int mark = children.mark(node, firstHash);
    int mask = entries.length - 1;
    for (int at = mark & mask; entries[at] != 0; at = (at + 1) & mask) {
      int found = ChildTable.nodeOf(entries[at]);
      if (ChildTable.markOf(entries[at]) == mark) {
        long[] chunk = chunks[found >>> CHUNK_BITS];
        long place = chunk[(found & (NodeLayout.CHUNK_NODES - 1)) * stride + NodeLayout.PLACE];
        int start = NodeLayout.start(place);
        if (NodeLayout.parent(place) == node
            && pages[start >>> PAGE_BITS][start & PAGE_MASK] == firstHash) {
          return found;
        }
      }
    }
    return 0;
  }

  private boolean narrow(int child, long[] chunk, int at, int depth, int matched) {
    PartialHolders some = partials[child];
    for (int i = 0; some != null && i < some.size(); i++) {
      int slot = some.slot(i);
      if ((active[slot >> 6] & 1L << slot) != 0) {
        active[slot >> 6] &= ~(1L << slot);
        int end = depth + Math.min(Long.numberOfTrailingZeros(~some.mask(i)), matched);
        emit(slot, end > 0 ? 1L : 0, end);
      }
    }
    long left = 0;
    for (int word = 0; word < words; word++) {
      long full = chunk[at + word];
      if (depth > 0) {
        emit(word << 6, active[word] & ~full, depth);
      }
      active[word] &= full;
      left |= active[word];
    }
    return left != 0;
  }

  /** Counted, as in {@code OverlapScores}: no store is checked against the arrays' lengths. */
  private void emit(int first, long bits, int depth) {
    int end = size + Long.bitCount(bits);
    long left = bits;
    for (int at = size; at < end; at++) {
      slots[at] = first + Long.numberOfTrailingZeros(left);
      depths[at] = depth;
      left &= left - 1;
    }
    size = end;
  }
}
