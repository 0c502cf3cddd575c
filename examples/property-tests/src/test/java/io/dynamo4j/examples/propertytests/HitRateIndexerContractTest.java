// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.propertytests;

import io.dynamo4j.testkit.contracts.KvIndexerContract;
import io.dynamo4j.testkit.contracts.KvIndexerFactory;

/** What every index must do, this one too. */
class HitRateIndexerContractTest extends KvIndexerContract {

  @Override
  protected KvIndexerFactory factory() {
    return HitRateIndexers::create;
  }
}
