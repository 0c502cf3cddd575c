// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Adds up predicted and reported cached tokens.
 *
 * <p><b>Threads.</b> Any.
 */
final class CacheReports {
  private final AtomicReference<CacheAccuracy> sum =
      new AtomicReference<>(new CacheAccuracy(0, 0, 0, 0, 0));

  void add(long predicted, long reported) {
    sum.updateAndGet(
        before ->
            new CacheAccuracy(
                before.reports() + 1,
                before.predictedTokens() + predicted,
                before.reportedTokens() + reported,
                before.absoluteErrorTokens() + Math.abs(predicted - reported),
                before.exactReports() + (predicted == reported ? 1 : 0)));
  }

  CacheAccuracy sum() {
    return Objects.requireNonNull(sum.get());
  }
}
