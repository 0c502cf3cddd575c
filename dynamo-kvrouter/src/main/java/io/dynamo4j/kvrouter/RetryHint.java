// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.time.Duration;
import java.util.Optional;

/** When it makes sense to ask a router again that had no room. */
final class RetryHint {
  /** Room frees with each first token and each end; a second sees some of both. */
  private static final long SECONDS = 1;

  private RetryHint() {}

  /** Returns the hint for a refusal, empty for one that time alone does not mend. */
  static Optional<Duration> of(boolean forWantOfRoom) {
    return forWantOfRoom ? Optional.of(Duration.ofSeconds(SECONDS)) : Optional.empty();
  }
}
