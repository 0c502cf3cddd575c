// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which workers declare that they can resume what tokens alone do not carry. */
final class Resumption {
  private final @Nullable WorkerDirectory directory;

  Resumption(@Nullable WorkerDirectory directory) {
    this.directory = directory;
  }

  /** Returns whether declarations can be seen at all. */
  boolean isKnown() {
    return directory != null;
  }

  boolean isDeclaredByAny(String capability) {
    return directory != null
        && directory.instances().stream().anyMatch(i -> i.resumes().contains(capability));
  }

  boolean isDeclaredBy(WorkerWithDpRank worker, String capability) {
    return directory != null
        && directory.instances().stream()
            .anyMatch(i -> i.workerId() == worker.workerId() && i.resumes().contains(capability));
  }

  /** Adds every rank whose worker does not declare the capability. */
  void addIncapable(String capability, Set<WorkerWithDpRank> excluded) {
    if (directory == null) {
      return;
    }
    for (WorkerInstance instance : directory.instances()) {
      if (!instance.resumes().contains(capability)) {
        for (int rank = 0; rank < instance.dpSize(); rank++) {
          excluded.add(instance.rank(rank));
        }
      }
    }
  }
}
