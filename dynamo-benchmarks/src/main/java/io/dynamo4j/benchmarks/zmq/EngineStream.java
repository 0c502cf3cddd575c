// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.zmq;

import io.dynamo4j.wire.EngineBatchWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

/**
 * Batches as an engine publishes them, made beforehand, and a socket that sends them as fast as
 * they are read: it waits rather than drop.
 */
final class EngineStream implements AutoCloseable {
  static final int BLOCK_SIZE = 16;
  private static final byte[] TOPIC = {};
  private static final int HIGH_WATER = 1000;

  private final List<byte[]> batches = new ArrayList<>();
  private final int blocks;
  private final ZContext context = new ZContext();
  private final ZMQ.Socket socket = context.createSocket(SocketType.XPUB);
  private final String endpoint;

  /**
   * Makes the batches.
   *
   * @param stores events in each batch, each of a sequence of its own
   * @param blocksEach blocks in each event
   */
  EngineStream(int count, int stores, int blocksEach) {
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < count; i++) {
      EngineBatchWriter batch = EngineBatchWriter.create(1_700_000_000 + i);
      for (int j = 0; j < stores; j++) {
        long[] hashes = random.longs(blocksEach).toArray();
        int[] tokens = random.ints((long) blocksEach * BLOCK_SIZE, 0, 128_000).toArray();
        batch.storedRoot(hashes, tokens, BLOCK_SIZE);
      }
      batches.add(batch.toBytes(0));
    }
    this.blocks = count * stores * blocksEach;
    socket.setSndHWM(HIGH_WATER);
    socket.setXpubNoDrop(true);
    socket.setXpubVerboser(true);
    endpoint = "tcp://127.0.0.1:" + socket.bindToRandomPort("tcp://127.0.0.1");
  }

  String endpoint() {
    return endpoint;
  }

  int count() {
    return batches.size();
  }

  int blocks() {
    return blocks;
  }

  long bytes() {
    return batches.stream().mapToLong(batch -> batch.length).sum();
  }

  /**
   * Waits for a subscriber and sends it everything, on the calling thread.
   *
   * @return when the first batch was sent, in the terms of {@code System.nanoTime}
   */
  long send() {
    byte[] subscription;
    do {
      subscription = socket.recv();
    } while (subscription[0] != 1);
    long start = System.nanoTime();
    for (int i = 0; i < batches.size(); i++) {
      socket.send(TOPIC, ZMQ.SNDMORE);
      socket.send(ByteBuffer.allocate(Long.BYTES).putLong(i).array(), ZMQ.SNDMORE);
      socket.send(batches.get(i));
    }
    return start;
  }

  @Override
  public void close() {
    context.close();
  }
}
