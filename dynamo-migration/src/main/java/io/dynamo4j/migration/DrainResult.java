// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

/**
 * What became of the streams that a drained worker had.
 *
 * @param moved go on at another worker
 * @param finished ended meanwhile, by themselves or by their client
 * @param failed ended with an error meanwhile
 * @param left were still on the worker when the time was up; they go on there
 */
public record DrainResult(int moved, int finished, int failed, int left) {

  /** Returns whether the worker has no stream of this migrator any more. */
  public boolean isEmpty() {
    return left == 0;
  }
}
