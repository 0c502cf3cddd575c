// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.discovery.FileDiscovery;
import io.dynamo4j.discovery.ModelFolder;
import io.dynamo4j.examples.gateway.DynamoGateway;
import io.dynamo4j.plane.EventChannel;
import io.dynamo4j.plane.EventChannelDirectory;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.memory.InMemoryEventChannels;
import io.dynamo4j.transport.zmq.ZmqEventPlane;
import io.dynamo4j.transport.zmq.ZmqTransport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/**
 * A fleet whose events go over ZMQ and which is found through files, then one that is found in
 * memory; prints the ports that were bound for it. A process of its own, under {@link
 * DialRecorder}.
 */
final class DialMain {
  private static final EventScope.Endpoint ENDPOINT =
      new EventScope.Endpoint("dynamo", "backend", "generate");
  private static final String TOPIC = "kv-events";
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Set<Integer> bound = new ConcurrentSkipListSet<>();

  private DialMain() {}

  /**
   * Prints one line {@code bound=[…]}.
   *
   * @param args an empty folder; a port that is dialled besides, if any
   */
  public static void main(String[] args) throws Exception {
    Path root = Path.of(args[0]);
    DialMain run = new DialMain();
    run.findThroughFiles(root);
    run.findInMemory();
    if (args.length > 1) {
      dial(Integer.parseInt(args[1]));
    }
    System.out.println("bound=" + run.bound);
    System.exit(0);
  }

  private void findThroughFiles(Path root) throws Exception {
    try (JavaWorker worker = new JavaWorker(root, 1, ModelFolder.none());
        DynamoGateway gateway = DynamoGateway.join(root, ENDPOINT, 16);
        RealEnvironment lanes = RealEnvironment.create();
        FileDiscovery files = FileDiscovery.builder(lanes.environment(), root).build()) {
      Awaitility.await().atMost(PATIENCE).until(() -> !gateway.workers().instances().isEmpty());
      String address = gateway.workers().instances().get(0).address().value();
      note(address.substring(0, address.indexOf('/')));
      Answer answer = Answer.of(gateway.answer(FileGateway.request(8)));
      if (answer.awaitEnd() != null || worker.requestCount() != 1) {
        throw new IllegalStateException("worker has not answered");
      }
      publish(lanes, files.eventChannels());
    }
  }

  private void findInMemory() {
    try (RealEnvironment lanes = RealEnvironment.create()) {
      publish(lanes, InMemoryEventChannels.create());
    }
  }

  /** One plane publishes until another has heard it. */
  private void publish(RealEnvironment lanes, EventChannelDirectory channels) {
    try (ZmqTransport here = ZmqTransport.create(lanes.environment());
        ZmqTransport there = ZmqTransport.create(lanes.environment());
        EventPlane publishers = ZmqEventPlane.direct(here, channels).build();
        EventPlane subscribers = ZmqEventPlane.direct(there, channels).build()) {
      AtomicInteger received = new AtomicInteger();
      channels.watch(
          lanes.lane("channels"),
          new EventChannelDirectory.Listener() {
            @Override
            public void added(EventChannel channel) {
              note(channel.address().value());
            }

            @Override
            public void removed(EventChannel channel) {}
          });
      subscribers.subscribe(
          ENDPOINT, TOPIC, lanes.lane("subscriber"), any -> received.incrementAndGet());
      EventPublisher publisher = publishers.publisher(ENDPOINT, TOPIC, 7);
      Awaitility.await()
          .atMost(PATIENCE)
          .until(
              () -> {
                publisher.publish(new byte[] {(byte) 0x90}); // an empty list
                return received.get() > 0;
              });
    }
  }

  private void note(String address) {
    bound.add(Integer.parseInt(address.substring(address.lastIndexOf(':') + 1)));
  }

  private static void dial(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      System.out.println("connected=" + socket.isConnected());
    } catch (IOException nobodyListens) {
      System.out.println("connected=false");
    }
  }
}
