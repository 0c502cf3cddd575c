// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import io.dynamo4j.core.model.LookupScope;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One lookup beside the writer: bounded steps, no lock, nothing allocated once its sets are large
 * enough. Lives in the caller's {@link OverlapScores} from lookup to lookup. Tests leave checks out
 * of it to see that they are missed.
 */
class PrefixWalk {
  /*
   * Problem    The writer splits, merges, frees and reuses nodes while a reader is between them.
   * Steps      A child is entered by reading, in this order: its version; its parent, edge and
   *            holders; its version again, and its parent's head again. If none has changed, child
   *            and holders were so at one moment, and it hung behind the blocks matched so far:
   *            the parent's head holds its length, so it has not been lengthened either.
   * Conflicts  are retried from the parent, or from the root if the parent has changed, each a
   *            bounded number of times; then the walk ends with what was confirmed.
   * End        If no rank has lost blocks since the start, all that was seen held is held now. Else
   *            a score stands if it ends in nodes that have not changed, or its rank has lost
   *            nothing; the walk begins anew a bounded number of times, and then the score is cut
   *            back to the nodes that have not changed. A rank that has left is taken out.
   * Promise    There is a moment during the call such that no score is above that of this moment;
   *            a rank that held k leading blocks all the time has at least k unless retries ran out.
   * Rejected   Confirming the whole answer by one version of the tree: under a busy writer most
   *            lookups come to nothing. Epochs: memory that is reused is told by its version, which
   *            never comes twice, and memory that is dropped is the collector's.
   */
  private static final int RESTARTS = 4;
  private static final int SPINS = 128;
  private static final int DOUBTS = 4;
  private static final int PATH = 64;

  private static final int GO_ON = 0;
  private static final int STOP = 1;
  private static final int CONFLICT = 2;

  private final TreeClock clock;
  private final RankSlots slots;
  private final NodeArena nodes;
  private final BlockArena blocks;
  private final ChildTable children;

  // Slots that hold all blocks so far, and those that do behind the node being entered.
  private long[] active = new long[1];
  private long[] next = new long[1];
  // Slots that hold a node whose holders are few among many.
  private final int[] few = new int[SlotNumbers.ROOM];
  // Nodes passed: id, head as it was, blocks before its edge.
  private final int[] pathNodes = new int[PATH];
  private final long[] pathHeads = new long[PATH];
  private final int[] pathDepths = new int[PATH];
  private int pathLength;
  private int pathEnd; // blocks before the first node that found no room here

  private long[] query = {};
  private int count;
  private LookupScope scope = LookupScope.all();
  private @Nullable WorkerWithDpRank only;
  private OverlapScores out = OverlapScores.create();

  // The slots of the scope that was used last, for the tenants of then.
  private long[] selected = new long[1];
  private LookupScope selectedScope = scope;
  private RankSlots.@Nullable Tenants selectedTenants;

  private long startTime;
  private RankSlots.Tenants tenants;
  private NodeLayout layout;
  private int words;
  private int depth;
  private int spins;
  private int doubts;
  // The node that the walk has come to.
  private int node;
  private long[] chunk = {};
  private int base;
  private long head;

  PrefixWalk(
      TreeClock clock, RankSlots slots, NodeArena nodes, BlockArena blocks, ChildTable children) {
    this.clock = clock;
    this.slots = slots;
    this.nodes = nodes;
    this.blocks = blocks;
    this.children = children;
    this.tenants = slots.tenants();
    this.layout = nodes.layout();
  }

  /** Makes the walks of a tree. */
  @FunctionalInterface
  interface Factory {
    PrefixWalk create(
        TreeClock clock, RankSlots slots, NodeArena nodes, BlockArena blocks, ChildTable children);
  }

  boolean isOf(NodeArena others) {
    return nodes == others;
  }

  void find(long[] localHashes, int hashes, LookupScope within, OverlapScores scores) {
    scope = within;
    only = null;
    run(localHashes, hashes, scores);
  }

  /** Looks for one rank and returns its depth. */
  int findOne(long[] localHashes, int hashes, WorkerWithDpRank worker, OverlapScores scores) {
    scope = LookupScope.all();
    only = worker;
    run(localHashes, hashes, scores);
    return scores.size() == 0 ? 0 : scores.depth(0);
  }

  private void run(long[] localHashes, int hashes, OverlapScores scores) {
    query = localHashes;
    count = hashes;
    out = scores;
    spins = SPINS;
    doubts = DOUBTS;
    for (int restarts = RESTARTS; restarts >= 0; restarts--) {
      boolean isLast = restarts == 0;
      begin();
      if (walk(isLast) && stands(isLast)) {
        return;
      }
    }
  }

  private void begin() {
    startTime = clock.settledTime();
    tenants = slots.tenants();
    layout = nodes.layout(); // not before the tenants: it has room for all of them
    words = tenants.words();
    if (words > active.length) {
      active = new long[words];
      next = new long[words];
    }
    activate();
    out.clearForNumbers(tenants.workers());
    pathLength = 0;
    depth = 0;
    node = NodeArena.ROOT;
    chunk = rootChunk();
    base = layout.base(node);
    head = Racy.getAcquire(chunk, base);
  }

  /** Makes the slots of the scope active. */
  private void activate() {
    if (only != null) {
      int slot = tenants.slotOf(only);
      Arrays.fill(active, 0, words, 0);
      if (slot >= 0) {
        active[slot >> 6] = 1L << slot;
      }
    } else if (scope.isOfAll()) {
      for (int word = 0; word < words; word++) {
        active[word] = tenants.occupiedWord(word);
      }
    } else {
      if (scope != selectedScope || tenants != selectedTenants) {
        selected = selected.length < words ? new long[words] : selected;
        tenants.select(scope, selected);
        selectedScope = scope;
        selectedTenants = tenants;
      }
      System.arraycopy(selected, 0, active, 0, words);
    }
  }

  private long[] rootChunk() {
    long[] found = layout.chunk(NodeArena.ROOT);
    if (found == null) {
      throw new IllegalStateException("layout has no root: words=" + layout.words());
    }
    return found;
  }

  /** Goes down as far as the query leads; returns false if it must be done again. */
  private boolean walk(boolean isLast) {
    boolean goesOn = true;
    while (goesOn && depth < count) {
      int child = child();
      int outcome = child == 0 ? afterMiss() : enter(child);
      if (outcome == CONFLICT && hasChanged()) {
        if (!isLast) {
          return false;
        }
        outcome = STOP;
      }
      goesOn = outcome == GO_ON || (outcome == CONFLICT && spins-- > 0);
    }
    if (depth > 0) {
      if (words == 1) {
        out.addNumbered(0, active[0], depth);
      } else {
        out.addNumbered(active, words, depth);
      }
    }
    return true;
  }

  /** Returns a node that may be the next one, 0 if none is found. */
  private int child() {
    long firstHash = query[depth];
    int mark = children.mark(node, firstHash);
    long[] entries = children.entries();
    int mask = entries.length - 1;
    for (int probe = 0; probe <= mask; probe++) {
      long entry = Racy.getOpaque(entries, (mark + probe) & mask);
      if (entry == 0) {
        return 0;
      }
      int found = ChildTable.nodeOf(entry);
      if (ChildTable.markOf(entry) == mark && mayBeChild(found, firstHash)) {
        return found;
      }
    }
    return 0;
  }

  private boolean mayBeChild(int found, long firstHash) {
    long[] itsChunk = layout.chunk(found);
    if (itsChunk == null) {
      return true;
    }
    int itsBase = layout.base(found);
    if (NodeLayout.isChanging(Racy.getAcquire(itsChunk, itsBase))) {
      return true;
    }
    long place = itsChunk[itsBase + NodeLayout.PLACE];
    return NodeLayout.parent(place) == node && blocks.begins(NodeLayout.start(place), firstHash);
  }

  /** An entry may have been passed by unseen if others were removed or nodes changed meanwhile. */
  private int afterMiss() {
    return clock.time() != startTime && doubts-- > 0 ? GO_ON : STOP;
  }

  /** Returns whether the node that the walk has come to is no more as it was. */
  private boolean hasChanged() {
    layout = nodes.layout();
    return Racy.getOpaque(chunk, base) != head;
  }

  private int enter(int child) {
    long[] itsChunk = layout.chunk(child);
    if (itsChunk == null) {
      return CONFLICT;
    }
    int itsBase = layout.base(child);
    long itsHead = Racy.getAcquire(itsChunk, itsBase);
    long place = itsChunk[itsBase + NodeLayout.PLACE];
    if (NodeLayout.isChanging(itsHead) || NodeLayout.parent(place) != node) {
      return CONFLICT;
    }
    int length = NodeLayout.length(itsHead);
    int limit = Math.min(length, count - depth);
    int matched = blocks.match(NodeLayout.start(place), query, depth, limit);
    int size = out.size();
    boolean isAnyLeft = narrow(child, itsChunk, itsBase, itsHead, matched);
    if (matched == 0 || !isUndisturbed(itsChunk, itsBase, itsHead)) {
      out.truncate(size);
      return CONFLICT;
    }
    pass(child, itsChunk, itsBase, itsHead, matched);
    boolean isEnough = scope.stopsAtLastRank() && isOneActive();
    return isAnyLeft && matched == length && !isEnough ? GO_ON : STOP;
  }

  /** Returns whether a node is as it was first read, and still behind the one before it. */
  boolean isUndisturbed(long[] itsChunk, int itsBase, long itsHead) {
    VarHandle.acquireFence();
    return NodeLayout.isSameVersion(Racy.getOpaque(itsChunk, itsBase), itsHead)
        && Racy.getOpaque(chunk, base) == head;
  }

  private boolean isOneActive() {
    int ranks = 0;
    for (int word = 0; word < words; word++) {
      ranks += Long.bitCount(active[word]);
    }
    return ranks == 1;
  }

  private void pass(int child, long[] itsChunk, int itsBase, long itsHead, int matched) {
    if (pathLength < PATH) {
      pathNodes[pathLength] = child;
      pathHeads[pathLength] = itsHead;
      pathDepths[pathLength] = depth;
    } else if (pathLength == PATH) {
      pathEnd = depth;
    }
    pathLength++;
    long[] passed = active;
    active = next;
    next = passed;
    node = child;
    chunk = itsChunk;
    base = itsBase;
    head = itsHead;
    depth += matched;
  }

  /**
   * Finds the active slots that hold the whole edge. The others end in it, at their first block
   * that is missing or where the query leaves it.
   */
  private boolean narrow(int child, long[] itsChunk, int itsBase, long itsHead, int matched) {
    if (!layout.hasBits()) {
      return narrowAmongMany(child, itsChunk, itsBase + NodeLayout.WORDS, itsHead, matched);
    }
    long[] from = active;
    long[] to = next;
    if ((itsHead & NodeLayout.PARTIALS) != 0) {
      System.arraycopy(active, 0, next, 0, words);
      endPartials(layout.partials(child), matched);
      from = next;
    }
    int at = itsBase + NodeLayout.WORDS;
    int end = depth;
    int size = words;
    long left = 0;
    for (int word = 0; word < size; word++) {
      long full = itsChunk[at + word];
      long before = from[word];
      long ended = before & ~full;
      if (ended != 0 && end > 0) {
        if (ended == -1L && size > 1) {
          out.addRange(word << 6, 64, end);
        } else {
          out.addNumbered(word << 6, ended, end);
        }
      }
      to[word] = before & full;
      left |= before & full;
    }
    return left != 0;
  }

  /** As {@link #narrow}, where not each node has a bit for each slot. */
  private boolean narrowAmongMany(int child, long[] itsChunk, int at, long itsHead, int matched) {
    System.arraycopy(active, 0, next, 0, words);
    if ((itsHead & NodeLayout.PARTIALS) != 0) {
      endPartials(layout.partials(child), matched);
    }
    long first = itsChunk[at];
    if (first == SlotNumbers.CROWD) {
      return narrowToCrowd(layout.crowd(child));
    }
    int staying = takeOut(first, 0);
    staying = takeOut(itsChunk[at + 1], staying);
    for (int word = 0; word < words; word++) {
      if (next[word] != 0 && depth > 0) {
        out.addNumbered(word << 6, next[word], depth);
      }
      next[word] = 0;
    }
    for (int i = 0; i < staying; i++) {
      next[few[i] >> 6] |= 1L << few[i];
    }
    return staying > 0;
  }

  /** Takes slots that are numbers out of the next ones, and notes those that were among them. */
  private int takeOut(long numbers, int noted) {
    int count = noted;
    for (int i = 0; i < 4; i++) {
      int slot = SlotNumbers.slot(numbers, i);
      if (slot >= 0 && slot >> 6 < words && (next[slot >> 6] & 1L << slot) != 0) {
        next[slot >> 6] &= ~(1L << slot);
        few[count++] = slot;
      }
    }
    return count;
  }

  private boolean narrowToCrowd(long @Nullable [] crowd) {
    int known = crowd == null ? 0 : crowd.length; // 0 in a torn view, as will be found
    long left = 0;
    for (int word = 0; word < words; word++) {
      long full = crowd != null && word < known ? crowd[word] : 0;
      long ended = next[word] & ~full;
      if (ended != 0 && depth > 0) {
        out.addNumbered(word << 6, ended, depth);
      }
      next[word] &= full;
      left |= next[word];
    }
    return left != 0;
  }

  /** Takes slots that hold some blocks of an edge out of the next ones. */
  private void endPartials(@Nullable PartialHolders some, int matched) {
    if (some == null) {
      return; // a torn view, as will be found
    }
    int[] partialSlots = some.slots();
    long[] masks = some.masks();
    int size = Math.min(some.size(), Math.min(partialSlots.length, masks.length));
    for (int i = 0; i < size; i++) {
      int slot = partialSlots[i];
      if (slot >> 6 < words && (next[slot >> 6] & 1L << slot) != 0) {
        next[slot >> 6] &= ~(1L << slot);
        int end = depth + Math.min(Long.numberOfTrailingZeros(~masks[i]), matched);
        if (end > 0) {
          out.addNumbered(slot, 1L, end);
        }
      }
    }
  }

  /**
   * Returns whether no score is above what its rank holds now; makes that so if it is the last try.
   */
  boolean stands(boolean isLast) {
    VarHandle.acquireFence();
    if (clock.lastLoss() <= startTime) {
      return true;
    }
    int unchanged = unchangedDepth();
    RankSlots.Tenants now = slots.tenants();
    for (int i = out.size() - 1; i >= 0; i--) {
      int slot = out.number(i);
      if (!now.hasSameTenant(slot, tenants)) {
        out.lower(i, 0);
      } else if (out.depth(i) > unchanged && clock.lossOf(slot) > startTime) {
        if (!isLast) {
          return false;
        }
        out.lower(i, unchanged);
      }
    }
    return true;
  }

  /** Returns how many blocks lie before the first node passed that has changed since. */
  private int unchangedDepth() {
    for (int i = 0; i < Math.min(pathLength, PATH); i++) {
      long[] itsChunk = layout.chunk(pathNodes[i]);
      if (itsChunk == null
          || !NodeLayout.isSameVersion(
              Racy.getOpaque(itsChunk, layout.base(pathNodes[i])), pathHeads[i])) {
        return pathDepths[i];
      }
    }
    return pathLength > PATH ? pathEnd : Integer.MAX_VALUE;
  }
}
