// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records of nodes: where the edge of a node lies, how it hangs in the tree, and which slots hold
 * which of its blocks.
 *
 * <p>A slot that holds every block of an edge is one bit in the node's words; one that holds some
 * is an entry with a mask. That is always so: setting a mask moves the slot to the right form.
 *
 * <p><b>Threads.</b> One writer. A reader beside it may see anything and validates afterwards.
 */
final class NodeArena {
  /*
   * Problem    One lookup step reads all of one node: keep it in one cache line.
   * Structure  Node n is the longs from n * stride on; node 0 is the root, which has no edge.
   *
   *   records    [ EDGE | LINK | FAMILY | word 0 | word 1 .. ]  [ next node .. ]
   *     EDGE       start address : 32 | owns : 1 | capacity : 12 | length : 12
   *     LINK       parent : 32 | number of children : 32
   *     FAMILY     xor of the children's ids : 32 | number of full holders : 32
   *     words      a bit for each slot that holds every block of the edge
   *   partials   [ node -> the slots that hold some blocks ]    null if none
   *   gone       [ ids to be used again ]
   *
   *            The xor is the only child's id where there is one child: enough to merge.
   * Rejected   Four parallel arrays: up to four cache misses a step, 1.1 to 1.7 times the time.
   */

  static final int ROOT = 0;

  private static final int LINK = 1;
  private static final int FAMILY = 2;
  private static final int WORDS = 3;
  private static final int INITIAL_NODES = 16;
  private static final int KEPT_NODES = 1 << 12;
  private static final long LOW = 0xffffffffL;

  private int words = 1;
  private int stride = WORDS + words;
  private long[] records = new long[INITIAL_NODES * stride];
  private @Nullable PartialHolders[] partials = new PartialHolders[INITIAL_NODES];
  private int[] gone = new int[INITIAL_NODES];
  private int goneCount;
  private int nextNode = 1; // 0 is the root
  private final List<PartialHolders> pool = new ArrayList<>();

  /* --------------- Records --------------- */

  /** Returns an id beyond all that have been used. */
  int limit() {
    return nextNode;
  }

  /** Returns the number of nodes, the root not counted. */
  int size() {
    return nextNode - 1 - goneCount;
  }

  /** Returns the longs of a holder set. */
  int words() {
    return words;
  }

  /** Makes a node without holders and children. */
  int create(int parent, int start, int length, int capacity, boolean owns) {
    int node = goneCount > 0 ? gone[--goneCount] : nextNode++;
    if (node >= partials.length) {
      records = Arrays.copyOf(records, records.length * 2);
      partials = Arrays.copyOf(partials, partials.length * 2);
    }
    int base = node * stride;
    Arrays.fill(records, base, base + stride, 0);
    setEdge(node, start, length, capacity, owns);
    records[base + LINK] = (long) parent << 32;
    return node;
  }

  /** Gives an id back; the node must have neither holders nor children. */
  void release(int node) {
    int base = node * stride;
    Arrays.fill(records, base, base + stride, 0);
    if (goneCount == gone.length) {
      gone = Arrays.copyOf(gone, goneCount * 2);
    }
    gone[goneCount++] = node;
    if (size() == 0 && partials.length > KEPT_NODES) {
      shrink();
    }
  }

  /** Gives memory of a peak back; nobody but the root is left. */
  private void shrink() {
    records = new long[INITIAL_NODES * stride];
    partials = new PartialHolders[INITIAL_NODES];
    gone = new int[INITIAL_NODES];
    goneCount = 0;
    nextNode = 1;
    pool.clear();
  }

  /** Makes room for holder bits of slots below {@code slots}. */
  void makeRoomForSlots(int slots) {
    int needed = (slots + 63) >>> 6;
    if (needed <= words) {
      return;
    }
    int wider = WORDS + Math.max(needed, words * 2);
    long[] moved = new long[partials.length * wider];
    for (int node = 0; node < nextNode; node++) {
      System.arraycopy(records, node * stride, moved, node * wider, stride);
    }
    words = wider - WORDS;
    stride = wider;
    records = moved;
  }

  void setEdge(int node, int start, int length, int capacity, boolean owns) {
    records[node * stride] =
        ((long) start << 32) | (owns ? 1L << 24 : 0) | ((long) capacity << 12) | length;
  }

  int start(int node) {
    return (int) (records[node * stride] >>> 32);
  }

  int length(int node) {
    return (int) records[node * stride] & 0xfff;
  }

  int capacity(int node) {
    return (int) (records[node * stride] >>> 12) & 0xfff;
  }

  boolean owns(int node) {
    return (records[node * stride] & 1L << 24) != 0;
  }

  int parent(int node) {
    return (int) (records[node * stride + LINK] >>> 32);
  }

  int childCount(int node) {
    return (int) records[node * stride + LINK];
  }

  void setParent(int node, int parent) {
    int at = node * stride + LINK;
    records[at] = ((long) parent << 32) | (records[at] & LOW);
  }

  void addChild(int node, int child) {
    records[node * stride + LINK]++;
    toggleChild(node, child);
  }

  void removeChild(int node, int child) {
    records[node * stride + LINK]--;
    toggleChild(node, child);
  }

  /** Makes {@code after} a child in the place of {@code before}. */
  void replaceChild(int node, int before, int after) {
    toggleChild(node, before ^ after);
  }

  private void toggleChild(int node, int child) {
    records[node * stride + FAMILY] ^= (long) child << 32;
  }

  /** Returns the only child; meaningless unless there is exactly one. */
  int onlyChild(int node) {
    return (int) (records[node * stride + FAMILY] >>> 32);
  }

  int childrenXor(int node) {
    return (int) (records[node * stride + FAMILY] >>> 32);
  }

  /* --------------- Holders --------------- */

  static long allBlocks(int length) {
    return length == 64 ? -1L : (1L << length) - 1;
  }

  int fullCount(int node) {
    return (int) records[node * stride + FAMILY];
  }

  @Nullable PartialHolders partials(int node) {
    return partials[node];
  }

  /** Returns one word of the slots that hold every block. */
  long fullWord(int node, int word) {
    return records[node * stride + WORDS + word];
  }

  boolean isFull(int node, int slot) {
    return (records[node * stride + WORDS + (slot >> 6)] & 1L << slot) != 0;
  }

  /** Returns the blocks of the edge that a slot holds, as bits. */
  long mask(int node, int slot) {
    if (isFull(node, slot)) {
      return allBlocks(length(node));
    }
    PartialHolders some = partials[node];
    return some == null ? 0 : some.maskOf(slot);
  }

  /** Sets the blocks of the edge that a slot holds. */
  void setMask(int node, int slot, long mask) {
    boolean full = mask == allBlocks(length(node));
    if (full != isFull(node, slot)) {
      int base = node * stride;
      records[base + WORDS + (slot >> 6)] ^= 1L << slot;
      records[base + FAMILY] += full ? 1 : -1;
    }
    putPartial(node, slot, full ? 0 : mask);
  }

  private void putPartial(int node, int slot, long mask) {
    PartialHolders some = partials[node];
    if (some == null) {
      if (mask == 0) {
        return;
      }
      some = pool.isEmpty() ? new PartialHolders() : pool.remove(pool.size() - 1);
      partials[node] = some;
    }
    some.put(slot, mask);
    if (some.size() == 0) {
      takePartials(node);
      pool.add(some);
    }
  }

  private @Nullable PartialHolders takePartials(int node) {
    PartialHolders some = partials[node];
    partials[node] = null;
    return some;
  }

  /** Returns the blocks of the edge that anybody holds. */
  long heldByAnybody(int node) {
    if (fullCount(node) > 0) {
      return allBlocks(length(node));
    }
    PartialHolders some = partials[node];
    return some == null ? 0 : some.union();
  }

  /** Returns whether {@code slot} is the one holder of this node. */
  boolean isHeldOnlyBy(int node, int slot) {
    PartialHolders some = partials[node];
    int partialCount = some == null ? 0 : some.size();
    return fullCount(node) + partialCount == 1
        && (isFull(node, slot) || (some != null && some.maskOf(slot) != 0));
  }

  /** Shortens the edge to blocks of which the last is held; who holds all that is left is full. */
  void trim(int node, int length) {
    setEdge(node, start(node), length, capacity(node), owns(node));
    PartialHolders some = partials[node];
    for (int i = some == null ? -1 : some.size() - 1; some != null && i >= 0; i--) {
      if (some.mask(i) == allBlocks(length)) {
        setMask(node, some.slot(i), some.mask(i));
      }
    }
  }

  /** Lengthens the edge by blocks that nobody holds; {@code slot} is the node's only holder. */
  void extend(int node, int slot, int length) {
    long held = mask(node, slot);
    setMask(node, slot, 0);
    setEdge(node, start(node), length, capacity(node), owns(node));
    setMask(node, slot, held);
  }

  /**
   * Divides the holders of an edge that has been cut behind {@code prefixLength} blocks. The edge
   * of {@code suffix} is short already, its holders are those of the whole.
   */
  void divideHolders(int prefix, int prefixLength, int suffix) {
    System.arraycopy(records, suffix * stride + WORDS, records, prefix * stride + WORDS, words);
    records[prefix * stride + FAMILY] += fullCount(suffix);
    PartialHolders some = takePartials(suffix);
    if (some == null) {
      return;
    }
    for (int i = 0; i < some.size(); i++) {
      setMask(prefix, some.slot(i), some.mask(i) & allBlocks(prefixLength));
      setMask(suffix, some.slot(i), some.mask(i) >>> prefixLength);
    }
    some.clear();
    pool.add(some);
  }

  /** Returns whether both nodes are held by the same slots, each in full. */
  boolean haveSameFullHolders(int one, int other) {
    return partials[one] == null
        && partials[other] == null
        && Arrays.equals(
            records,
            one * stride + WORDS,
            (one + 1) * stride,
            records,
            other * stride + WORDS,
            (other + 1) * stride);
  }
}
