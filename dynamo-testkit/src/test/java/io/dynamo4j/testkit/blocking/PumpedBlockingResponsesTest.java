// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.blocking;

import io.dynamo4j.blocking.Gate;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.function.Consumer;

class PumpedBlockingResponsesTest extends BlockingResponsesContract {

  @Override
  BlockingHost newHost() {
    Simulation simulation = Simulation.builder().seed(3).build();
    return new BlockingHost() {
      @Override
      public Environment environment() {
        return simulation.environment("host");
      }

      @Override
      public void runClient(Consumer<Gate> body) {
        body.accept(simulation.gate());
      }

      @Override
      public void close() {}
    };
  }
}
