// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.Objects;

/**
 * What one rank's own publisher said since the worker was registered; what recovery asked for does
 * not count.
 *
 * @param worker the rank
 * @param publisherId who writes for it, unsigned
 * @param events that came from there
 * @param silentNanos since the last of them
 */
public record RankActivity(
    WorkerWithDpRank worker, long publisherId, long events, long silentNanos) {

  public RankActivity {
    Objects.requireNonNull(worker, "worker");
  }
}
