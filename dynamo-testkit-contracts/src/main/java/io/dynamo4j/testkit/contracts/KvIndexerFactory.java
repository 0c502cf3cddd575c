// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.indexer.KvIndexer;

/** Makes the index that a contract looks at: the library's own, wrapped, or another. */
@FunctionalInterface
public interface KvIndexerFactory {

  /**
   * Makes an index that learns from events, has room for all of them and forgets nothing by itself.
   *
   * @param environment virtual time; the index must take time, lanes and chance from nowhere else
   */
  KvIndexer create(int blockSize, Environment environment);
}
