// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The nodes as the writer sees them: where the edge of each lies, how it hangs in the tree, and
 * which slots hold which of its blocks.
 *
 * <p>A slot that holds every block of an edge is one of the node's {@link FullHolders}; one that
 * holds some is an entry with a mask. That is always so: setting a mask moves the slot to the right
 * form.
 *
 * <p><b>Threads.</b> One writer. Readers take the {@link #layout} and read records themselves.
 */
final class NodeArena {
  /*
   * Structure  records       NodeLayout
   *   gone     [ ids to be used again ]
   *   versions                                  the last even version given out
   *
   * Writes     What a reader must not see half done is put between begin and end, which make the
   *            node's version odd and then even and new. Two changes need no version, because each
   *            is one store after all that it refers to: a slot that becomes full, where there is
   *            room for it, and a greater length.
   *
   *            The xor of the children is the only child's id where there is one: enough to merge.
   * Rejected   Four parallel arrays: up to four cache misses a step, 1.1 to 1.7 times the time.
   */

  static final int ROOT = 0;

  private static final VarHandle LAYOUT;
  private static final long LOW = 0xffffffffL;
  private static final int INITIAL_GONE = 16;
  private static final int SPARE_PARTIALS = 64;

  static {
    try {
      LAYOUT = MethodHandles.lookup().findVarHandle(NodeArena.class, "layout", NodeLayout.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private NodeLayout layout;
  private int[] gone = new int[INITIAL_GONE];
  private int goneCount;
  private int nextNode = 1; // 0 is the root
  private long versions;
  private final List<PartialHolders> pool = new ArrayList<>();
  private int partialCount;

  NodeArena(HolderForm form) {
    layout = NodeLayout.of(form);
    end(ROOT);
  }

  /** Returns the records as of now, for readers. */
  NodeLayout layout() {
    return (NodeLayout) LAYOUT.getAcquire(this);
  }

  /* --------------- Records --------------- */

  /** Returns an id beyond all that have been used. */
  int limit() {
    return nextNode;
  }

  /** Returns the number of nodes, the root not counted. */
  int size() {
    return nextNode - 1 - goneCount;
  }

  /** Makes a node without holders and children, which readers take for changing until its end. */
  int create(int parent, int start, int length, int capacity, boolean owns) {
    int node = goneCount > 0 ? gone[--goneCount] : nextNode++;
    if (NodeLayout.chunkOf(node) >= layout.chunkLimit()) {
      LAYOUT.setRelease(this, layout.withChunkLimit(layout.chunkLimit() * 2));
    }
    if (layout.chunk(node) == null) {
      layout.addChunk(NodeLayout.chunkOf(node));
    }
    long[] chunk = chunk(node);
    int base = layout.base(node);
    Arrays.fill(chunk, base + NodeLayout.FAMILY, base + NodeLayout.WORDS + layout.words(), 0);
    setEdge(node, start, length, capacity, owns);
    setParent(node, parent);
    return node;
  }

  /** Gives an id back; the node must be changing, and have no children and no partial holders. */
  void release(int node) {
    setHead(node, NodeLayout.CHANGING);
    set(node, NodeLayout.FAMILY, 0);
    FullHolders.clear(layout, node);
    if (goneCount == gone.length) {
      gone = Arrays.copyOf(gone, goneCount * 2);
    }
    gone[goneCount++] = node;
    if (size() == 0 && nextNode > NodeLayout.CHUNK_NODES) {
      shrink();
    }
  }

  /** Gives memory of a peak back; nobody but the root is left. */
  private void shrink() {
    LAYOUT.setRelease(this, layout.firstChunk());
    gone = new int[INITIAL_GONE];
    goneCount = 0;
    nextNode = 1;
    pool.clear();
  }

  /** Makes room for holders among the slots below {@code slots}. */
  void makeRoomForSlots(int slots) {
    int needed = (slots + 63) >>> 6;
    NodeLayout before = layout;
    if (before.hasBits() && needed > before.words()) {
      LAYOUT.setRelease(this, before.widened(Math.max(needed, before.words() * 2)));
      before.retire();
      VarHandle.storeStoreFence();
    }
  }

  private long[] chunk(int node) {
    return Objects.requireNonNull(layout.chunk(node));
  }

  private long get(int node, int field) {
    return chunk(node)[layout.base(node) + field];
  }

  private void set(int node, int field, long value) {
    chunk(node)[layout.base(node) + field] = value;
  }

  private long head(int node) {
    return get(node, NodeLayout.HEAD);
  }

  private void setHead(int node, long head) {
    Racy.setOpaque(chunk(node), layout.base(node), head);
  }

  /** Makes readers disregard a node until {@link #end}. */
  void begin(int node) {
    setHead(node, head(node) | NodeLayout.CHANGING);
    VarHandle.storeStoreFence();
  }

  /** Shows a node to readers, as another than before. */
  void end(int node) {
    versions += 2;
    long fields = head(node) & (NodeLayout.CHANGING - 1);
    Racy.setRelease(
        chunk(node), layout.base(node), (versions << NodeLayout.VERSION_SHIFT) | fields);
  }

  /** Sets the edge of a changing node. */
  void setEdge(int node, int start, int length, int capacity, boolean owns) {
    long size = ((long) capacity << NodeLayout.CAPACITY_SHIFT) | length;
    long replaced = (NodeLayout.CHANGING - 1) & ~NodeLayout.PARTIALS;
    setHead(node, (head(node) & ~replaced) | (owns ? NodeLayout.OWNS : 0) | size);
    set(node, NodeLayout.PLACE, ((long) start << 32) | (get(node, NodeLayout.PLACE) & LOW));
  }

  int start(int node) {
    return NodeLayout.start(get(node, NodeLayout.PLACE));
  }

  int length(int node) {
    return NodeLayout.length(head(node));
  }

  int capacity(int node) {
    return NodeLayout.capacity(head(node));
  }

  /** Adds spare room behind the edge, which readers do not look at. */
  void addCapacity(int node, int more) {
    setHead(node, head(node) + ((long) more << NodeLayout.CAPACITY_SHIFT));
  }

  boolean owns(int node) {
    return (head(node) & NodeLayout.OWNS) != 0;
  }

  boolean isChanging(int node) {
    return NodeLayout.isChanging(head(node));
  }

  int parent(int node) {
    return NodeLayout.parent(get(node, NodeLayout.PLACE));
  }

  /** Sets the parent of a changing node. */
  void setParent(int node, int parent) {
    set(node, NodeLayout.PLACE, (get(node, NodeLayout.PLACE) & ~LOW) | parent);
  }

  int childCount(int node) {
    return (int) get(node, NodeLayout.FAMILY);
  }

  void addChild(int node, int child) {
    set(node, NodeLayout.FAMILY, (get(node, NodeLayout.FAMILY) + 1) ^ ((long) child << 32));
  }

  void removeChild(int node, int child) {
    set(node, NodeLayout.FAMILY, (get(node, NodeLayout.FAMILY) - 1) ^ ((long) child << 32));
  }

  /** Makes {@code after} a child in the place of {@code before}. */
  void replaceChild(int node, int before, int after) {
    set(node, NodeLayout.FAMILY, get(node, NodeLayout.FAMILY) ^ ((long) (before ^ after) << 32));
  }

  /** Returns the only child; meaningless unless there is exactly one. */
  int onlyChild(int node) {
    return (int) (get(node, NodeLayout.FAMILY) >>> 32);
  }

  /* --------------- Holders --------------- */

  @Nullable PartialHolders partials(int node) {
    return (head(node) & NodeLayout.PARTIALS) == 0 ? null : layout.partials(node);
  }

  boolean isFull(int node, int slot) {
    return FullHolders.contains(layout, node, slot);
  }

  /** Visits the slots that hold every block, ascending. */
  void forEachFull(int node, IntConsumer action) {
    FullHolders.forEach(layout, node, action);
  }

  /** Returns the blocks of the edge that a slot holds, as bits. */
  long mask(int node, int slot) {
    if (isFull(node, slot)) {
      return NodeLayout.allBlocks(length(node));
    }
    PartialHolders some = partials(node);
    return some == null ? 0 : some.maskOf(slot);
  }

  /** Sets the blocks of the edge that a slot holds. */
  void setMask(int node, int slot, long mask) {
    PartialHolders some = partials(node);
    boolean isNewAndFull =
        mask == NodeLayout.allBlocks(length(node)) && (some == null || some.maskOf(slot) == 0);
    if (isNewAndFull && FullHolders.addAtOnce(layout, node, slot)) {
      return;
    }
    if (mask != mask(node, slot)) {
      begin(node);
      putMask(node, slot, mask);
      end(node);
    }
  }

  /** Sets a mask of a changing node. */
  private void putMask(int node, int slot, long mask) {
    boolean full = mask == NodeLayout.allBlocks(length(node));
    if (full != isFull(node, slot)) {
      if (full) {
        FullHolders.add(layout, node, slot);
      } else {
        FullHolders.remove(layout, node, slot);
      }
    }
    putPartial(node, slot, full ? 0 : mask);
  }

  private void putPartial(int node, int slot, long mask) {
    PartialHolders some = partials(node);
    if (some == null) {
      if (mask == 0) {
        return;
      }
      some = pool.isEmpty() ? new PartialHolders() : pool.remove(pool.size() - 1);
      layout.setPartials(node, some);
      setHead(node, head(node) | NodeLayout.PARTIALS);
      partialCount++;
    }
    some.put(slot, mask);
    if (some.size() == 0) {
      takePartials(node);
      keep(some);
    }
  }

  /** Keeps an empty list to be used again, unless there are many beside those in use. */
  private void keep(PartialHolders empty) {
    if (pool.size() < SPARE_PARTIALS + partialCount / 16) {
      pool.add(empty);
    }
  }

  private @Nullable PartialHolders takePartials(int node) {
    PartialHolders some = partials(node);
    if (some != null) {
      layout.setPartials(node, null);
      setHead(node, head(node) & ~NodeLayout.PARTIALS);
      partialCount--;
    }
    return some;
  }

  /** Returns the blocks of the edge that anybody holds. */
  long heldByAnybody(int node) {
    if (!FullHolders.isEmpty(layout, node)) {
      return NodeLayout.allBlocks(length(node));
    }
    PartialHolders some = partials(node);
    return some == null ? 0 : some.union();
  }

  /** Returns whether {@code slot} is the one holder of this node. */
  boolean isHeldOnlyBy(int node, int slot) {
    if (!FullHolders.isNobodyBut(layout, node, slot)) {
      return false;
    }
    PartialHolders some = partials(node);
    boolean full = isFull(node, slot);
    return some == null ? full : !full && some.size() == 1 && some.maskOf(slot) != 0;
  }

  /** Shortens the edge to blocks of which the last is held; who holds all that is left is full. */
  void trim(int node, int length) {
    begin(node);
    setEdge(node, start(node), length, capacity(node), owns(node));
    PartialHolders some = partials(node);
    for (int i = some == null ? -1 : some.size() - 1; some != null && i >= 0; i--) {
      if (some.mask(i) == NodeLayout.allBlocks(length)) {
        putMask(node, some.slot(i), some.mask(i));
      }
    }
    end(node);
  }

  /** Lengthens the edge by blocks that have been written; who is full holds them as well. */
  void grow(int node, int more) {
    Racy.setRelease(chunk(node), layout.base(node), head(node) + more);
  }

  /**
   * Divides the holders of an edge that has been cut behind {@code prefixLength} blocks; both nodes
   * are changing. The edge of {@code suffix} is short already, its holders are those of the whole.
   */
  void divideHolders(int prefix, int prefixLength, int suffix) {
    FullHolders.copy(layout, suffix, prefix);
    PartialHolders some = takePartials(suffix);
    if (some == null) {
      return;
    }
    for (int i = 0; i < some.size(); i++) {
      putMask(prefix, some.slot(i), some.mask(i) & NodeLayout.allBlocks(prefixLength));
      putMask(suffix, some.slot(i), some.mask(i) >>> prefixLength);
    }
    some.clear();
    keep(some);
  }

  /** Returns whether both nodes are held by the same slots, each in full. */
  boolean haveSameFullHolders(int one, int other) {
    return partials(one) == null
        && partials(other) == null
        && FullHolders.areAlike(layout, one, other);
  }
}
