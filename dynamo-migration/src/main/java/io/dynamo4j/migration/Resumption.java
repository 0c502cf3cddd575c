// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which workers declare that they can resume what tokens alone do not carry. */
final class Resumption {
  private static final Logger LOG = LoggerFactory.getLogger(Migrator.class);

  private final @Nullable WorkerDirectory directory;

  Resumption(@Nullable WorkerDirectory directory) {
    this.directory = directory;
  }

  /** Returns whether declarations can be seen at all. */
  boolean isKnown() {
    return directory != null;
  }

  /** Returns the workers known now, none if the host's directory does not tell. */
  private Collection<WorkerInstance> instances() {
    if (directory == null) {
      return List.of();
    }
    try {
      return directory.instances();
    } catch (Throwable failure) {
      LOG.warn("directory does not tell its workers", failure);
      return List.of();
    }
  }

  boolean isDeclaredByAny(String capability) {
    return instances().stream().anyMatch(i -> i.resumes().contains(capability));
  }

  boolean isDeclaredBy(WorkerWithDpRank worker, String capability) {
    return instances().stream()
        .anyMatch(i -> i.workerId() == worker.workerId() && i.resumes().contains(capability));
  }

  /** Adds every rank whose worker does not declare the capability. */
  void addIncapable(String capability, Set<WorkerWithDpRank> excluded) {
    for (WorkerInstance instance : instances()) {
      if (!instance.resumes().contains(capability)) {
        for (int rank = 0; rank < instance.dpSize(); rank++) {
          excluded.add(instance.rank(rank));
        }
      }
    }
  }
}
