// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.propertytests;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.indexer.KvIndexer;

/** Makes the index under test, as a contract or a property wants it. */
final class HitRateIndexers {

  private HitRateIndexers() {}

  static HitRateIndexer create(int blockSize, Environment environment) {
    return HitRateIndexer.around(
        KvIndexer.builder().environment(environment).blockSize(blockSize).build());
  }
}
