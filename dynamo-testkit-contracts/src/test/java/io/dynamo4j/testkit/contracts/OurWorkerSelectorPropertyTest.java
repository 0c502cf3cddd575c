// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import io.dynamo4j.kvrouter.DefaultWorkerSelector;
import io.dynamo4j.kvrouter.KvRouterConfig;
import io.dynamo4j.kvrouter.WorkerSelector;

class OurWorkerSelectorPropertyTest extends WorkerSelectorPropertyContract {

  @Override
  protected WorkerSelector create() {
    return DefaultWorkerSelector.of(KvRouterConfig.ofDefaults());
  }
}
