// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import static io.dynamo4j.transport.zmq.ZmqRun.EMPTY;
import static io.dynamo4j.transport.zmq.ZmqRun.bytes;
import static io.dynamo4j.transport.zmq.ZmqRun.publish;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

/** An engine of plain sockets whose ring and losses a test decides; of the test's thread only. */
final class PlainEngine {
  final ZMQ.Socket pub;
  final ZMQ.Socket router;
  final String endpoint;
  final String replayEndpoint;
  final TreeMap<Integer, String> ring = new TreeMap<>();
  final List<Integer> requests = new ArrayList<>();
  boolean repliesHaveTopic = true;
  int endsToWithhold;

  PlainEngine(ZmqRun run) {
    pub = run.peer(SocketType.XPUB);
    router = run.peer(SocketType.ROUTER);
    endpoint = ZmqRun.bind(pub);
    replayEndpoint = ZmqRun.bind(router);
  }

  /** An engine within one process, in the context of those who listen to it. */
  PlainEngine(ZContext context, String endpoint, String replayEndpoint) {
    this.endpoint = endpoint;
    this.replayEndpoint = replayEndpoint;
    pub = context.createSocket(SocketType.XPUB);
    router = context.createSocket(SocketType.ROUTER);
    pub.setReceiveTimeOut((int) ZmqRun.PATIENCE.toMillis());
    pub.bind(endpoint);
    router.bind(replayEndpoint);
  }

  ZmqEngineEventSourceBuilder source() {
    return ZmqEngineEventSource.builder(endpoint).replayEndpoint(replayEndpoint);
  }

  /** Waits until somebody has subscribed. */
  void awaitSubscriber() {
    if (pub.recv() == null) {
      throw new AssertionError("nobody has subscribed");
    }
  }

  void send(int sequence, String payload) {
    publish(pub, "", sequence, bytes(payload));
  }

  /** Answers whatever has been asked for so far. */
  void answer() {
    byte[] peer;
    while ((peer = router.recv(ZMQ.DONTWAIT)) != null) {
      router.recv();
      int from = (int) ByteBuffer.wrap(router.recv()).getLong();
      requests.add(from);
      ring.tailMap(from).forEach(replyTo(peer));
      if (endsToWithhold > 0) {
        endsToWithhold--;
      } else {
        reply(peer, -1, EMPTY);
      }
    }
  }

  private BiConsumer<Integer, String> replyTo(byte[] peer) {
    return (sequence, payload) -> reply(peer, sequence, bytes(payload));
  }

  private void reply(byte[] peer, long sequence, byte[] payload) {
    router.sendMore(peer);
    router.sendMore(EMPTY);
    if (repliesHaveTopic) {
      router.sendMore("");
    }
    router.sendMore(ZmqRun.number(sequence));
    router.send(payload);
  }
}
