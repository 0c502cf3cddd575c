// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.plane.DurableLogException;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A writer of a durable log at one moment.
 *
 * @param counts every counter; they never go back
 * @param waitingEvents events that wait for the log
 * @param lastFailure why the newest attempt failed, null if it did not
 */
public record DurableWriterStatus(
    Map<DurableWriterCounter, Long> counts,
    long waitingEvents,
    @Nullable DurableLogException lastFailure) {

  public DurableWriterStatus {
    counts = Collections.unmodifiableMap(new TreeMap<>(counts));
  }

  public long count(DurableWriterCounter counter) {
    return counts.getOrDefault(counter, 0L);
  }
}
