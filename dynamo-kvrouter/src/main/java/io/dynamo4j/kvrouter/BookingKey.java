// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.SafeText;
import java.util.Objects;

/**
 * Names one booking. All attempts of a request share its id, so the attempt is part of the key: a
 * late release of an old attempt cannot free the new one.
 *
 * @param requestId any text, the empty one included
 * @param attempt the attempt's number, from 0
 */
public record BookingKey(String requestId, int attempt) {

  public BookingKey {
    Objects.requireNonNull(requestId, "requestId");
    if (attempt < 0) {
      throw new IllegalArgumentException("attempt must not be negative: attempt=" + attempt);
    }
  }

  /** Asked twice a request under the router's lock; the generated one is a chain of calls. */
  @Override
  public int hashCode() {
    return 31 * requestId.hashCode() + attempt;
  }

  /** Returns both as a log or a message may show them: ids come from clients. */
  @Override
  public String toString() {
    return SafeText.of(requestId) + "#" + attempt;
  }
}
