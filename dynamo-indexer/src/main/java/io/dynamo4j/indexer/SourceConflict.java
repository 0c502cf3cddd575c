// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.Objects;

/**
 * Two living publishers write for one rank: one counts, the other's events are held and dropped.
 *
 * @param worker the rank
 * @param writerId publisher whose events count, unsigned
 * @param otherId publisher whose events do not, unsigned
 */
public record SourceConflict(WorkerWithDpRank worker, long writerId, long otherId) {

  public SourceConflict {
    Objects.requireNonNull(worker, "worker");
  }

  @Override
  public String toString() {
    return "SourceConflict[worker="
        + worker
        + ", writerId="
        + Long.toUnsignedString(writerId)
        + ", otherId="
        + Long.toUnsignedString(otherId)
        + "]";
  }
}
