// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.zeromq.SocketType;

/**
 * The last batches of a publisher and the socket that hands them out: three frames asked, one reply
 * for each batch from the number asked for on, and an empty payload at the end.
 *
 * <p>A request of another form gets no answer at all, as from engines.
 *
 * <p><b>Threads.</b> The owner thread.
 */
final class ReplayRing {
  private static final byte[] EMPTY = {};
  private static final byte[] END = ByteBuffer.allocate(Long.BYTES).putLong(-1).array();

  private final int capacity;
  private final byte[] topic;
  private final boolean repliesHaveTopic;
  private final ArrayDeque<Entry> entries = new ArrayDeque<>();
  private final LoopSocket socket;

  ReplayRing(ZmqLoop loop, int capacity, byte[] topic, boolean repliesHaveTopic) {
    this.capacity = capacity;
    this.topic = topic;
    this.repliesHaveTopic = repliesHaveTopic;
    this.socket = loop.open(SocketType.ROUTER, this::requested);
    // One reply and the next fit, so that no end is ever dropped for want of room.
    socket.settings().setSndHWM(2 * (capacity + 1));
  }

  String bind(String endpoint) {
    socket.bind(endpoint);
    return socket.boundTo();
  }

  void add(long sequence, byte[] payload) {
    if (entries.size() == capacity) {
      entries.remove();
    }
    entries.add(new Entry(sequence, payload));
  }

  private void requested(List<byte[]> frames) {
    if (frames.size() != 3 || frames.get(1).length != 0) {
      return;
    }
    byte[] peer = frames.get(0);
    long from = number(frames.get(2));
    for (Entry entry : entries) {
      if (Long.compareUnsigned(entry.sequence, from) >= 0) {
        byte[] sequence = ByteBuffer.allocate(Long.BYTES).putLong(entry.sequence).array();
        reply(peer, topic, sequence, entry.payload);
      }
    }
    reply(peer, EMPTY, END, EMPTY);
  }

  /** Engines take the request's number at any length. */
  private static long number(byte[] bytes) {
    long number = 0;
    for (byte each : bytes) {
      number = number << 8 | (each & 0xff);
    }
    return number;
  }

  private void reply(byte[] peer, byte[] replyTopic, byte[] sequence, byte[] payload) {
    List<byte[]> frames = new ArrayList<>(5);
    frames.add(peer);
    frames.add(EMPTY);
    if (repliesHaveTopic) {
      frames.add(replyTopic);
    }
    frames.add(sequence);
    frames.add(payload);
    socket.trySend(frames);
  }

  void close() {
    socket.close();
  }

  private static final class Entry {
    final long sequence;
    final byte[] payload;

    Entry(long sequence, byte[] payload) {
      this.sequence = sequence;
      this.payload = payload;
    }
  }
}
