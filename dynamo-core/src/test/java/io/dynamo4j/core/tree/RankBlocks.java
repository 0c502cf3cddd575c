// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import io.dynamo4j.core.collect.LongObjectMap;
import io.dynamo4j.core.collect.LongObjectMap.LongObjectConsumer;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one rank holds: from external hash to places. */
final class RankBlocks {
  final WorkerWithDpRank worker;
  final int slot;

  private final long seed;
  // The latest place of each hash, and the ones before it where a hash has several; rare.
  private final LongObjectMap<TreeNode> latest;
  private @Nullable LongObjectMap<List<TreeNode>> earlier;
  private long pairCount;

  RankBlocks(WorkerWithDpRank worker, int slot, long seed) {
    this.worker = worker;
    this.slot = slot;
    this.seed = seed;
    this.latest = LongObjectMap.create(seed);
  }

  /** Returns the number of (hash, place) pairs. */
  long pairCount() {
    return pairCount;
  }

  /** Returns where the hash was stored last, null if it is not held. */
  @Nullable TreeNode latestPlace(long hash) {
    return latest.get(hash);
  }

  boolean hasSeveralPlaces(long hash) {
    return earlier != null && earlier.get(hash) != null;
  }

  /** Adds a pair and makes it the hash's latest; returns false if the rank held it before. */
  boolean add(long hash, TreeNode place) {
    TreeNode before = latest.put(hash, place);
    if (before == place) {
      return false;
    }
    boolean isNew = true;
    if (before != null) {
      List<TreeNode> others = earlierPlaces(hash);
      isNew = !others.remove(place);
      others.add(before);
    }
    if (isNew) {
      place.hold(slot, seed);
      pairCount++;
    }
    return isNew;
  }

  private List<TreeNode> earlierPlaces(long hash) {
    if (earlier == null) {
      earlier = LongObjectMap.create(seed);
    }
    List<TreeNode> places = earlier.get(hash);
    if (places == null) {
      places = new ArrayList<>(1);
      earlier.put(hash, places);
    }
    return places;
  }

  /** Drops all pairs of a hash and returns their places, none if it is not held. */
  List<TreeNode> remove(long hash) {
    TreeNode last = latest.remove(hash);
    if (last == null) {
      return List.of();
    }
    List<TreeNode> others = earlier == null ? null : earlier.remove(hash);
    List<TreeNode> places = others == null ? List.of(last) : others;
    if (others != null) {
      others.add(last);
    }
    for (TreeNode place : places) {
      place.release(slot);
    }
    pairCount -= places.size();
    return places;
  }

  /** Visits every pair; order means nothing. */
  void forEachPair(LongObjectConsumer<TreeNode> action) {
    latest.forEach(action);
    if (earlier != null) {
      earlier.forEach((hash, places) -> places.forEach(place -> action.accept(hash, place)));
    }
  }
}
