// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/**
 * Who waits in a router's queue.
 *
 * @param requests waiting
 * @param promptTokens of their prompts, cached or not
 */
public record QueueStatus(int requests, long promptTokens) {
  /** Nobody waits. */
  public static final QueueStatus EMPTY = new QueueStatus(0, 0);
}
