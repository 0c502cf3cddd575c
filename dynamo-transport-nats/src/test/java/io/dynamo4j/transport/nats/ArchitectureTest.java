// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.core.architecture.ArchitectureContract;
import io.dynamo4j.core.architecture.HouseModule;

class ArchitectureTest extends ArchitectureContract {

  ArchitectureTest() {
    super(HouseModule.TRANSPORT_NATS);
  }
}
