// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.nats;

import io.dynamo4j.benchmarks.BenchResult.Fact;
import io.dynamo4j.benchmarks.BenchResult.Row;
import io.dynamo4j.benchmarks.ChecksumMismatchException;
import io.dynamo4j.benchmarks.Medians;
import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.Subscription;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** Events from the server into the tree, against a loop of the client that forgets them. */
final class EventRounds {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  // A round takes a fraction of a second: one alone leaves both sides half compiled.
  private static final int WARM_UP = 4;
  private static final int KEEP_UP_RATE = 5_000;
  private static final int KEEP_UP_SECONDS = 6;
  private static final long LOOK_NANOS = 50_000;

  private final String server;
  private final boolean isQuick;

  EventRounds(String server, boolean isQuick) {
    this.server = server;
    this.isQuick = isQuick;
  }

  private record Shape(String name, int messages, int stores, int blocksEach) {}

  private static final List<Shape> SHAPES =
      List.of(
          new Shape("1 store of 1 block", 200_000, 1, 1),
          new Shape("8 stores of 1 block", 60_000, 8, 1),
          new Shape("1 store of 64 blocks", 12_000, 1, 64));

  void measure(List<Row> rows, List<Fact> facts) throws IOException, InterruptedException {
    try (Client sending = Client.connect(server)) {
      Connection sender = sending.connection();
      for (Shape shape : SHAPES) {
        measure(shape, sender, rows, facts);
      }
      lag(sender, facts);
    }
  }

  private void measure(Shape shape, Connection sender, List<Row> rows, List<Fact> facts)
      throws IOException, InterruptedException {
    int messages = isQuick ? 200 : shape.messages;
    WorkerEvents events = new WorkerEvents(messages, shape.stores, shape.blocksEach);
    Medians rounds = new Medians();
    int count = isQuick ? 1 : 5;
    for (int round = isQuick ? -1 : -WARM_UP; round < count; round++) {
      double reference = messages / receive(events, sender);
      double ours = messages / index(events, sender);
      if (round >= 0) {
        rounds.add("reference", reference);
        rounds.add("ours", ours);
      }
    }
    rows.add(
        Row.higherIsBetter(
            "messages from NATS to tree, " + shape.name,
            rounds.of("ours"),
            rounds.of("reference"),
            "1/s"));
    facts.add(
        new Fact("bytes a NATS message, " + shape.name, (double) events.bytes() / messages, "B"));
  }

  /** Returns the seconds that a bare loop takes. */
  private double receive(WorkerEvents events, Connection sender)
      throws IOException, InterruptedException {
    long bytes = 0;
    double seconds;
    try (Client receiving = Client.connect(server)) {
      Connection receiver = receiving.connection();
      Subscription subscription = receiver.subscribe(WorkerEvents.subject());
      subscription.setPendingLimits(-1, -1);
      receiver.flush(PATIENCE);
      Thread sending = new Thread(() -> events.sendAll(sender), "bench-sender");
      long start = System.nanoTime();
      sending.start();
      for (int i = 0; i < events.count(); i++) {
        Message message = subscription.nextMessage(PATIENCE);
        if (message == null) {
          throw new IllegalStateException("messages are missing: received=" + i);
        }
        bytes += message.getData().length;
      }
      seconds = (System.nanoTime() - start) / 1e9;
      sending.join();
    } catch (TimeoutException e) {
      throw new IOException("server does not answer", e);
    }
    ChecksumMismatchException.requireEqual("bytes received", bytes, events.bytes());
    return seconds;
  }

  /** Returns the seconds that it takes until the index knows every block. */
  private double index(WorkerEvents events, Connection sender) throws InterruptedException {
    try (FollowingIndex index = new FollowingIndex(server)) {
      Thread sending = new Thread(() -> events.sendAll(sender), "bench-sender");
      long start = System.nanoTime();
      sending.start();
      index.awaitBlocks(events.blocks());
      double seconds = (System.nanoTime() - start) / 1e9;
      sending.join();
      return seconds;
    }
  }

  /** Sends at a rate that the index keeps up with, and looks how late it knows of each event. */
  private void lag(Connection sender, List<Fact> facts) throws InterruptedException {
    int count = isQuick ? 500 : KEEP_UP_RATE * KEEP_UP_SECONDS;
    WorkerEvents events = new WorkerEvents(count, 1, 1);
    long[] sentNanos = new long[count];
    double[] lagMillis = new double[count];
    try (FollowingIndex index = new FollowingIndex(server)) {
      Thread sending = new Thread(() -> sendSteadily(events, sender, sentNanos), "bench-sender");
      sending.start();
      int known = 0;
      while (known < count) {
        int now = (int) index.blocks();
        long nanos = System.nanoTime();
        for (; known < now; known++) {
          lagMillis[known] = (nanos - sentNanos[known]) / 1e6;
        }
        LockSupport.parkNanos(LOOK_NANOS);
      }
      sending.join();
    }
    // The first second is that of a cold process.
    double[] warm = isQuick ? lagMillis : Arrays.copyOfRange(lagMillis, KEEP_UP_RATE, count);
    Arrays.sort(warm);
    facts.add(
        new Fact("lag from NATS to tree at 5,000 events/s, p50", warm[warm.length / 2], "ms"));
    facts.add(
        new Fact(
            "lag from NATS to tree at 5,000 events/s, p99", warm[warm.length * 99 / 100], "ms"));
  }

  private static void sendSteadily(WorkerEvents events, Connection sender, long[] sentNanos) {
    long start = System.nanoTime();
    for (int i = 0; i < events.count(); i++) {
      long due = start + i * (1_000_000_000L / KEEP_UP_RATE);
      for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      sentNanos[i] = System.nanoTime();
      events.send(sender, i);
    }
  }
}
