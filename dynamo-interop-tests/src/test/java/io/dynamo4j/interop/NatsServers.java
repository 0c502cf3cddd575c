// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import io.dynamo4j.testkit.blocking.server.NatsServerProcess;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/** What tests need that start a {@link NatsServerProcess}. */
final class NatsServers {

  private NatsServers() {}

  /** Ends the calling test where there is no server; with {@code CI=true} as a failure. */
  static void requireInstalled() {
    if (!NatsServerProcess.isInstalled()) {
      String message = "nats-server is not installed: apt-get install nats-server";
      if ("true".equals(System.getenv("CI"))) {
        Assertions.fail(message);
      }
      Assumptions.abort(message);
    }
  }
}
