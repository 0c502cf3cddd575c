// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.List;

/**
 * Who waits in a router's queue.
 *
 * @param requests waiting
 * @param promptTokens of their prompts, cached or not
 * @param classes the same by policy class, in the order of the configuration; empty where there is
 *     no queue
 */
public record QueueStatus(int requests, long promptTokens, List<OfClass> classes) {
  /** Nobody waits, and nobody can. */
  public static final QueueStatus EMPTY = new QueueStatus(0, 0, List.of());

  public QueueStatus {
    classes = List.copyOf(classes);
  }

  /**
   * Who waits in one policy class.
   *
   * @param policyClass its name
   * @param requests waiting
   * @param promptTokens of their prompts, cached or not
   * @param cachedTokens how many of these the best rank had cached when the request came
   */
  public record OfClass(String policyClass, int requests, long promptTokens, long cachedTokens) {}
}
