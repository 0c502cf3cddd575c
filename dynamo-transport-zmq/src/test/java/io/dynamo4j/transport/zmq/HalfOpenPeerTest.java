// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import static io.dynamo4j.transport.zmq.ZmqRun.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Peers that accept a connection and then do not go on as they should. */
class HalfOpenPeerTest {

  @Test
  void shouldNotCallAPeerConnectedThatNeverGreets() throws Exception {
    try (ZmqRun run = new ZmqRun();
        SilentPeer peer = new SilentPeer(new byte[0])) {
      ZmqEngineEventSource source = open(run, peer);
      eventually(() -> peer.accepted.size() >= 2);
      assertThat(source.status().state()).isEqualTo(EngineSourceState.CONNECTING);
    }
  }

  /** No FIN ever comes of a machine that is gone; only its silence on probes tells. */
  @Test // field report I10
  void shouldLeaveAPeerThatNoLongerAnswersProbes() throws Exception {
    ZmqOptions probing =
        ZmqOptions.builder().heartbeat(Duration.ofMillis(50), Duration.ofMillis(200)).build();
    try (ZmqRun run = new ZmqRun(probing);
        SilentPeer peer = new SilentPeer(greeting())) {
      ZmqEngineEventSource source = open(run, peer);
      eventually(() -> source.status().ranks().get(0).count(EngineSourceCounter.CONNECTIONS) >= 2);
      assertThat(peer.accepted).hasSizeGreaterThanOrEqualTo(2);
    }
  }

  private static ZmqEngineEventSource open(ZmqRun run, SilentPeer peer) {
    return ZmqEngineEventSource.builder("tcp://127.0.0.1:" + peer.server.getLocalPort())
        .open(run.zmq, run.lane(), new RecordingListener());
  }

  /** What a publisher of ZMTP 3.0 says first: signature, version, mechanism, socket type. */
  private static byte[] greeting() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(new byte[] {(byte) 0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 0});
    bytes.write("NULL".getBytes(StandardCharsets.US_ASCII));
    bytes.write(new byte[16 + 1 + 31]);
    byte[] ready = "\5READY\13Socket-Type\0\0\0\3PUB".getBytes(StandardCharsets.US_ASCII);
    bytes.write(4);
    bytes.write(ready.length);
    bytes.write(ready);
    return bytes.toByteArray();
  }

  /** Accepts, says what it has to say, and holds the connection. */
  private static final class SilentPeer implements AutoCloseable {
    final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    final List<Socket> accepted = new CopyOnWriteArrayList<>();

    SilentPeer(byte[] firstWords) throws IOException {
      Thread thread =
          new Thread(
              () -> {
                try {
                  while (true) {
                    Socket socket = server.accept();
                    socket.getOutputStream().write(firstWords);
                    accepted.add(socket);
                  }
                } catch (IOException closed) {
                  // The test is over.
                }
              },
              "silent-peer");
      thread.setDaemon(true);
      thread.start();
    }

    @Override
    public void close() throws IOException {
      server.close();
      for (Socket socket : accepted) {
        socket.close();
      }
    }
  }
}
