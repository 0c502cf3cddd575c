// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import io.dynamo4j.core.collect.LongObjectMap;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One place: a block under the path of its ancestors, with the ranks that hold it as bits. */
final class TreeNode {
  private static final long[] NOBODY = {};

  /** Unique in the tree and never used again. */
  final long id;

  final @Nullable TreeNode parent;
  final long localHash;

  // Most nodes have one child: a map only for the others.
  private @Nullable TreeNode onlyChild;
  private @Nullable LongObjectMap<TreeNode> children;

  private long[] holders = NOBODY;
  // Hashes beyond the first by which one slot holds this place; rare.
  private @Nullable LongObjectMap<int[]> furtherHashes;

  TreeNode(long id, @Nullable TreeNode parent, long localHash) {
    this.id = id;
    this.parent = parent;
    this.localHash = localHash;
  }

  @Nullable TreeNode child(long hash) {
    if (children != null) {
      return children.get(hash);
    }
    return onlyChild != null && onlyChild.localHash == hash ? onlyChild : null;
  }

  boolean hasChildren() {
    return onlyChild != null || children != null;
  }

  void addChild(TreeNode child, long seed) {
    if (children != null) {
      children.put(child.localHash, child);
    } else if (onlyChild == null) {
      onlyChild = child;
    } else {
      LongObjectMap<TreeNode> map = LongObjectMap.create(seed);
      map.put(onlyChild.localHash, onlyChild);
      map.put(child.localHash, child);
      children = map;
      onlyChild = null;
    }
  }

  void removeChild(TreeNode child) {
    if (children == null) {
      onlyChild = null;
      return;
    }
    children.remove(child.localHash);
    if (children.size() == 1) {
      children.forEach((hash, last) -> onlyChild = last);
      children = null;
    }
  }

  void forEachChild(Consumer<TreeNode> action) {
    if (onlyChild != null) {
      action.accept(onlyChild);
    } else if (children != null) {
      children.forEach((hash, child) -> action.accept(child));
    }
  }

  /** Returns the bits of the slots that hold this place; not to be modified. */
  long[] holders() {
    return holders;
  }

  boolean isHeld() {
    for (long word : holders) {
      if (word != 0) {
        return true;
      }
    }
    return false;
  }

  boolean isHeldBy(int slot) {
    int word = slot >> 6;
    return word < holders.length && (holders[word] & 1L << slot) != 0;
  }

  /** Adds one hash by which {@code slot} holds this place. */
  void hold(int slot, long seed) {
    if (!isHeldBy(slot)) {
      int word = slot >> 6;
      if (word >= holders.length) {
        holders = Arrays.copyOf(holders, word + 1);
      }
      holders[word] |= 1L << slot;
      return;
    }
    if (furtherHashes == null) {
      furtherHashes = LongObjectMap.create(seed);
    }
    int[] count = furtherHashes.get(slot);
    if (count == null) {
      furtherHashes.put(slot, new int[] {1});
    } else {
      count[0]++;
    }
  }

  /** Drops one hash by which {@code slot} holds this place. */
  void release(int slot) {
    int[] further = furtherHashes == null ? null : furtherHashes.get(slot);
    if (furtherHashes == null || further == null) {
      holders[slot >> 6] &= ~(1L << slot);
    } else if (--further[0] == 0) {
      furtherHashes.remove(slot);
      furtherHashes = furtherHashes.size() == 0 ? null : furtherHashes;
    }
  }

  /** Returns by how many hashes {@code slot} holds this place. */
  int hashCount(int slot) {
    int[] further = furtherHashes == null ? null : furtherHashes.get(slot);
    return (isHeldBy(slot) ? 1 : 0) + (further == null ? 0 : further[0]);
  }
}
