// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.zmq;

import io.dynamo4j.benchmarks.Bench;
import io.dynamo4j.benchmarks.BenchOptions;
import io.dynamo4j.benchmarks.BenchResult;
import io.dynamo4j.benchmarks.BenchResult.Fact;
import io.dynamo4j.benchmarks.BenchResult.Row;
import io.dynamo4j.benchmarks.ChecksumMismatchException;
import io.dynamo4j.benchmarks.Medians;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.engine.EngineEventNormalizer;
import io.dynamo4j.transport.zmq.ZmqEngineEventSource;
import io.dynamo4j.transport.zmq.ZmqTransport;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

/**
 * Events of an engine from socket to tree, against a JeroMQ loop that reads the same bytes and
 * forgets them. Both sides wait for the same sender in the same process.
 */
public final class ZmqBench implements Bench {
  private static final long MINUTES = 5;

  // A round takes a fraction of a second: one alone leaves both sides half compiled.
  private static final int WARM_UP = 4;

  private record Shape(String name, int batches, int stores, int blocksEach) {}

  private static final List<Shape> SHAPES =
      List.of(
          new Shape("1 store of 1 block", 200_000, 1, 1),
          new Shape("8 stores of 1 block", 60_000, 8, 1),
          new Shape("1 store of 64 blocks", 12_000, 1, 64));

  @Override
  public String name() {
    return "zmq";
  }

  @Override
  public String description() {
    return "events of an engine from socket to tree, against a bare JeroMQ receive loop";
  }

  @Override
  public BenchResult run(BenchOptions options) {
    List<Row> rows = new ArrayList<>();
    List<Fact> facts = new ArrayList<>();
    for (Shape shape : SHAPES) {
      int batches = options.quick() ? 200 : shape.batches;
      Medians rounds = new Medians();
      try (EngineStream engine = new EngineStream(batches, shape.stores, shape.blocksEach)) {
        int count = options.quick() ? 1 : 5;
        for (int round = options.quick() ? -1 : -WARM_UP; round < count; round++) {
          double reference = batches / receive(engine);
          double ours = batches / index(engine);
          if (round >= 0) {
            rounds.add("reference", reference);
            rounds.add("ours", ours);
          }
        }
        rows.add(
            Row.higherIsBetter(
                "batches from socket to tree, " + shape.name,
                rounds.of("ours"),
                rounds.of("reference"),
                "1/s"));
        facts.add(
            new Fact(
                "bytes a batch, " + shape.name, (double) engine.bytes() / engine.count(), "B"));
      }
    }
    return new BenchResult(rows, facts);
  }

  /** Returns the seconds that a bare loop takes. */
  private static double receive(EngineStream engine) {
    long[] bytes = new long[1];
    double seconds;
    try (ZContext context = new ZContext()) {
      ZMQ.Socket socket = context.createSocket(SocketType.SUB);
      socket.setRcvHWM(100_000);
      socket.setHandshakeIvl(2000);
      socket.subscribe("");
      Thread loop =
          new Thread(
              () -> {
                for (int i = 0; i < engine.count(); i++) {
                  socket.recv();
                  socket.recv();
                  bytes[0] += socket.recv().length;
                }
              });
      socket.connect(engine.endpoint());
      loop.start();
      long start = engine.send();
      join(loop);
      seconds = (System.nanoTime() - start) / 1e9;
    }
    ChecksumMismatchException.requireEqual("bytes received", bytes[0], engine.bytes());
    return seconds;
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while measuring", e);
    }
  }

  /** Returns the seconds that it takes until the index knows every block. */
  private static double index(EngineStream engine) {
    try (RealEnvironment lanes = RealEnvironment.create();
        ZmqTransport zmq = ZmqTransport.create(lanes.environment());
        KvIndexer index =
            KvIndexer.builder()
                .environment(lanes.environment())
                .blockSize(EngineStream.BLOCK_SIZE)
                .maxPendingUpdates(1 << 22)
                .build()) {
      EngineEventNormalizer normalizer =
          EngineEventNormalizer.builder(1, EngineStream.BLOCK_SIZE).build();
      CountDownLatch all = new CountDownLatch(engine.count());
      ZmqEngineEventSource.builder(engine.endpoint())
          .open(
              zmq,
              lanes.lane("engine"),
              (dpRank, sequence, payload) -> {
                normalizer.normalize(payload).forEach(index::submit);
                all.countDown();
              });
      long start = engine.send();
      await(all);
      index.flush().toCompletableFuture().get(MINUTES, TimeUnit.MINUTES);
      double seconds = (System.nanoTime() - start) / 1e9;
      ChecksumMismatchException.requireEqual(
          "blocks indexed", index.status().blocks(), engine.blocks());
      return seconds;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while measuring", e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("index did not get there", e);
    }
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    if (!latch.await(MINUTES, TimeUnit.MINUTES)) {
      throw new IllegalStateException("batches are missing: count=" + latch.getCount());
    }
  }
}
