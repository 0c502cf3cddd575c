// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import io.dynamo4j.indexer.KvIndexer;

class OurKvIndexerTest extends KvIndexerContract {

  @Override
  protected KvIndexerFactory factory() {
    return (blockSize, environment) ->
        KvIndexer.builder().environment(environment).blockSize(blockSize).build();
  }
}
