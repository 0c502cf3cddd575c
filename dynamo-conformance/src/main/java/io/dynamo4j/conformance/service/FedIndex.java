// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.service;

import io.dynamo4j.conformance.plane.PublishedEvent;
import io.dynamo4j.conformance.tree.Block;
import io.dynamo4j.conformance.tree.Index;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;

/** An index of the device tier, and the blocks of the tiers below, fed by events. */
final class FedIndex {
  private final Index device;

  /** As {@code worker/rank/tier/hash:content}. */
  private final Set<String> lower = new TreeSet<>();

  /** Of the device, and not stored again, as {@code worker/rank/hash}. */
  private final Set<String> removed = new TreeSet<>();

  FedIndex(Index device) {
    this.device = device;
  }

  void removeRank(WorkerWithDpRank worker) {
    device.clear(worker);
    lower.removeIf(block -> block.startsWith(prefix(worker, "")));
  }

  void removeWorker(long workerId) {
    device.clearWorker(workerId);
    lower.removeIf(block -> block.startsWith(Long.toUnsignedString(workerId) + "/"));
  }

  void feed(long workerId, List<PublishedEvent> events) {
    for (PublishedEvent event : events) {
      WorkerWithDpRank worker = new WorkerWithDpRank(workerId, event.dpRank());
      if (event.kind().equals("cleared")) {
        device.clear(worker);
        lower.removeIf(block -> block.startsWith(prefix(worker, "")));
      } else if (event.tier().equals("device")) {
        feedDevice(worker, event);
      } else {
        feedLower(prefix(worker, event.tier() + "/"), event);
      }
    }
  }

  private static String prefix(WorkerWithDpRank worker, String rest) {
    return Long.toUnsignedString(worker.workerId()) + "/" + worker.dpRank() + "/" + rest;
  }

  private void feedDevice(WorkerWithDpRank worker, PublishedEvent event) {
    if (event.kind().equals("removed")) {
      device.remove(worker, event.blocks().stream().map(Long::parseUnsignedLong).toList());
      event.blocks().forEach(hash -> removed.add(prefix(worker, hash)));
      return;
    }
    List<Block> blocks = new ArrayList<>();
    for (String block : event.blocks()) {
      String[] parts = block.split(":", -1);
      removed.remove(prefix(worker, parts[0]));
      blocks.add(new Block(Long.parseUnsignedLong(parts[1]), Long.parseUnsignedLong(parts[0])));
    }
    String parent = event.parent();
    device.store(worker, parent == null ? null : Long.parseUnsignedLong(parent), blocks);
  }

  private void feedLower(String prefix, PublishedEvent event) {
    for (String block : event.blocks()) {
      if (event.kind().equals("removed")) {
        lower.removeIf(held -> held.startsWith(prefix + block + ":"));
      } else {
        lower.add(prefix + block);
      }
    }
  }

  SortedMap<WorkerWithDpRank, Integer> find(List<Long> locals) {
    return device.find(locals);
  }

  /** Returns whether a rank has removed a block of the device tier and not stored it again. */
  boolean hasRemoved(WorkerWithDpRank worker, String hash) {
    return removed.contains(prefix(worker, hash));
  }

  Set<String> lowerBlocks() {
    return lower;
  }
}
