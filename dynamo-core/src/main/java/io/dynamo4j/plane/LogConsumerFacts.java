// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import java.util.Objects;

/**
 * A reader that a {@link DurableEventLog} remembers.
 *
 * @param name as it called itself
 * @param acknowledgedThrough number of the last entry that it no longer needs, 0 for none: what is
 *     above is not to be purged while the reader lives
 * @param isAttended whether somebody reads under this name now
 */
public record LogConsumerFacts(String name, long acknowledgedThrough, boolean isAttended) {

  public LogConsumerFacts {
    Objects.requireNonNull(name, "name");
  }
}
