// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.dynamo4j.testkit.blocking.server.NatsServerProcess;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The demo over real planes, its workers in another process. Only tokens are looked at. */
@Tag("slow")
class LiveDemoTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @Test
  void shouldLoseNoTokenOverNatsWhenWorkersDie() {
    if (!NatsServerProcess.isInstalled()) {
      String message = "nats-server is not installed: apt-get install nats-server";
      if ("true".equals(System.getenv("CI"))) {
        fail(message);
      }
      Assumptions.abort(message);
    }
    shouldLoseNoToken("nats");
  }

  @Test
  void shouldLoseNoTokenOverZmqAndTcpWhenWorkersDie() {
    shouldLoseNoToken("zmq");
  }

  private void shouldLoseNoToken(String plane) {
    int code =
        FleetDemo.run(
            print(out),
            print(err),
            ("--json --policy kv --requests 60 --kill-every 15 --migration-limit 100 --plane "
                    + plane)
                .split(" "));
    assertThat(text(err)).isEmpty();
    assertThat(code).isZero();
    assertThat(text(out).lines()).hasSize(1);
    assertThat(text(out))
        .contains("\"policies\":[{\"policy\":\"kv\",\"hit_rate\":")
        .contains("\"streams\":{\"completed\":60,\"failed\":0}")
        .contains("\"lost\":0,\"repeated\":0,\"wrong\":0")
        .contains("\"simulated_hit_rate\":");
  }

  private static PrintStream print(ByteArrayOutputStream target) {
    return new PrintStream(target, true, StandardCharsets.UTF_8);
  }

  private static String text(ByteArrayOutputStream bytes) {
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
