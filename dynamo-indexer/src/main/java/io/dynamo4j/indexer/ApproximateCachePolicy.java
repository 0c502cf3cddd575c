// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import java.util.Arrays;
import java.util.Optional;

/** How long an index without events believes its own decisions. */
public enum ApproximateCachePolicy {
  /** For a while after the last decision that named the block. */
  TTL("ttl"),
  /**
   * As long as the rank's declared cache has room: blocks of running requests always, others until
   * the cache is full, the longest unused first. A rank that declares no size falls back to {@link
   * #TTL}.
   */
  LRU("lru");

  private final String optionName;

  ApproximateCachePolicy(String optionName) {
    this.optionName = optionName;
  }

  /** Returns the name that options carry. */
  public String optionName() {
    return optionName;
  }

  public static Optional<ApproximateCachePolicy> byName(String optionName) {
    return Arrays.stream(values()).filter(p -> p.optionName.equals(optionName)).findFirst();
  }
}
