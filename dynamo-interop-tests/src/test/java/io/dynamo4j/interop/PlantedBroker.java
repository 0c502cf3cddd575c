// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/** Listens where a broker might be, counts who dials it and answers nobody. */
final class PlantedBroker implements AutoCloseable {
  private final ServerSocket listener;
  private final AtomicInteger dials = new AtomicInteger();

  private PlantedBroker(ServerSocket listener) {
    this.listener = listener;
  }

  static PlantedBroker listen() throws IOException {
    PlantedBroker broker =
        new PlantedBroker(new ServerSocket(0, 64, InetAddress.getLoopbackAddress()));
    Thread taker = new Thread(broker::take, "planted-broker");
    taker.setDaemon(true);
    taker.start();
    return broker;
  }

  private void take() {
    try {
      while (true) {
        listener.accept().close();
        dials.incrementAndGet();
      }
    } catch (IOException closed) {
      // Nobody is waited for any more.
    }
  }

  int port() {
    return listener.getLocalPort();
  }

  int dials() {
    return dials.get();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
