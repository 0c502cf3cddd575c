// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.propertytests;

import io.dynamo4j.kvrouter.WorkerSelector;
import io.dynamo4j.testkit.contracts.WorkerSelectorPropertyContract;

class LeastRequestsSelectorPropertyTest extends WorkerSelectorPropertyContract {

  @Override
  protected WorkerSelector create() {
    return new LeastRequestsSelector();
  }
}
