// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.service;

import io.dynamo4j.conformance.plane.PublishedEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a dump says of the device tier: for each rank the contents from the root to the last block
 * of each store. A rank that holds the last holds all of them, so that a lookup of the path finds
 * its whole length. Blocks behind one that was removed stand in a dump and in no path.
 */
final class DumpedPaths {
  /** One path of one rank. */
  record Path(WorkerWithDpRank worker, List<Long> contents) {}

  private final Map<WorkerWithDpRank, Map<String, List<Long>>> ends = new HashMap<>();
  private final Set<Path> paths = new LinkedHashSet<>();
  private final FedIndex fed;

  /**
   * Makes an empty one.
   *
   * @param fed knows what was removed
   */
  DumpedPaths(FedIndex fed) {
    this.fed = fed;
  }

  /**
   * Adds one store of the dump.
   *
   * @return what is wrong with it, if anything
   */
  Optional<String> add(WorkerWithDpRank worker, PublishedEvent stored) {
    if (!stored.kind().equals("stored")) {
      return Optional.of("dump is no list of stores: kind=" + stored.kind());
    }
    Map<String, List<Long>> ofWorker = ends.computeIfAbsent(worker, any -> new HashMap<>());
    String parent = stored.parent();
    List<Long> contents = new ArrayList<>();
    if (parent != null && fed.hasRemoved(worker, parent)) {
      return Optional.empty();
    }
    if (parent != null) {
      List<Long> before = ofWorker.get(parent);
      if (before == null) {
        return Optional.of("parent is not in the dump: worker=" + worker + ", parent=" + parent);
      }
      contents.addAll(before);
    }
    for (String block : stored.blocks()) {
      String[] parts = block.split(":", -1);
      contents.add(Long.parseUnsignedLong(parts[1]));
      ofWorker.put(parts[0], List.copyOf(contents));
    }
    paths.add(new Path(worker, List.copyOf(contents)));
    return Optional.empty();
  }

  /** Returns the paths in the order of the dump, each once. */
  List<Path> all() {
    return List.copyOf(paths);
  }
}
