// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.nats;

import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import io.nats.client.Nats;
import io.nats.client.Options;
import java.io.IOException;

/**
 * A connection of the bare client.
 *
 * @param connection closed with this
 */
record Client(Connection connection) implements AutoCloseable {

  /** Connects, and says nothing of what it does. */
  static Client connect(String server) throws IOException, InterruptedException {
    return new Client(
        Nats.connect(
            Options.builder().server(server).errorListener(new ErrorListener() {}).build()));
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
