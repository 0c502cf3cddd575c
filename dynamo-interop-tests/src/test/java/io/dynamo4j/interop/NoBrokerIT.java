// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.examples.gateway.DynamoGateway;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.PlaneSelection;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * With events over ZMQ and discovery by files, Dynamo's processes and ours leave brokers alone even
 * where they are told of some.
 */
class NoBrokerIT {
  @TempDir Path work;

  @Test
  void shouldLeaveBrokersAlone() throws Exception {
    try (PlantedBroker nats = PlantedBroker.listen();
        PlantedBroker etcd = PlantedBroker.listen()) {
      Map<String, String> variables =
          Map.of(
              "NATS_SERVER", "nats://127.0.0.1:" + nats.port(),
              "ETCD_ENDPOINTS", "http://127.0.0.1:" + etcd.port());
      serve(variables);
      assertThat(nats.dials()).isZero();
      assertThat(etcd.dials()).isZero();
      new Socket(InetAddress.getLoopbackAddress(), nats.port()).close();
      Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> nats.dials() == 1);
    }
  }

  private void serve(Map<String, String> variables) throws Exception {
    String[] options = {"--workers", "1", "--frontends", "1", "--env", "", "--env", ""};
    int at = 5;
    for (Map.Entry<String, String> variable : variables.entrySet()) {
      options[at] = variable.getKey() + "=" + variable.getValue();
      at += 2;
    }
    try (Fleet fleet = Fleet.start(work, options);
        DynamoGateway gateway =
            DynamoGateway.join(
                PlaneSelection.ofDefaults(),
                variables,
                fleet.root(),
                new EventScope.Endpoint("dynamo", "backend", "generate"),
                16)) {
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> gateway.workers().instances().size() == 1);
      Answer answer = Answer.of(gateway.answer(FileGateway.request(40)));
      assertThat(answer.awaitEnd()).isNull();
      Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> gateway.knownBlocks() > 0);
    }
  }
}
