// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.tcp;

import io.dynamo4j.benchmarks.Bench;
import io.dynamo4j.benchmarks.BenchOptions;
import io.dynamo4j.benchmarks.BenchResult;
import io.dynamo4j.benchmarks.BenchResult.Fact;
import io.dynamo4j.benchmarks.MeasuringProcess;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.transport.tcp.PayloadCodec;
import io.dynamo4j.transport.tcp.TcpOptions;
import io.dynamo4j.transport.tcp.TcpPhase;
import io.dynamo4j.transport.tcp.TcpRequestPlane;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Eight thousand streams open at one time between two processes, each token checked. A tenth of the
 * clients leave in mid-stream, another tenth read four items at a time; in the end neither side
 * holds anything open.
 */
public final class TcpSoak implements Bench {
  private static final int STREAMS = 8_000;
  private static final int TOKENS = 200;
  private static final int ROUNDS = 5;
  private static final int SLOW_WINDOW = 4;
  private static final long WORKER_MEGABYTES = 768;
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @Override
  public String name() {
    return "soak-tcp";
  }

  @Override
  public String description() {
    return "8,000 streams at one time over the TCP plane between two processes, every token checked";
  }

  /** Returns bounds that a crowded machine keeps; streams wait for each other here. */
  static TcpOptions options() {
    TcpOptions.Builder options = TcpOptions.builder();
    for (TcpPhase phase : TcpPhase.values()) {
      options.bound(phase, PATIENCE);
    }
    return options.build();
  }

  @Override
  public BenchResult run(BenchOptions options) {
    int streams = options.quick() ? 100 : STREAMS;
    int rounds = options.quick() ? 1 : ROUNDS;
    long seed = System.currentTimeMillis();
    System.err.println("soak-tcp: seed " + seed + ", Java " + Runtime.version());
    SplittableRandom random = new SplittableRandom(seed);
    long left = 0;
    try (MeasuringProcess worker =
            MeasuringProcess.start(TcpSoakWorker.class, WORKER_MEGABYTES, List.of());
        RealEnvironment threads = RealEnvironment.create();
        TcpRequestPlane<PreprocessedRequest, LLMEngineOutput> plane =
            TcpRequestPlane.builder(PayloadCodec.generate(), threads.environment())
                .options(options())
                .build()) {
      String address = worker.ask(TcpSoakWorker.ADDRESS, String.class);
      int cut = address.indexOf(' ');
      WorkerInstance target =
          WorkerInstance.builder(
                  1, new Address(address.substring(0, cut), address.substring(cut + 1)))
              .build();
      for (int round = 0; round < rounds; round++) {
        left += play(round, streams, random, worker, target, plane, threads);
      }
      require("dials", plane.dialCount() <= 100 + (long) rounds * streams / 10);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
    return new BenchResult(
        List.of(),
        List.of(
            new Fact("soak-tcp streams at one time", streams, "count"),
            new Fact("soak-tcp streams", (double) streams * rounds, "count"),
            new Fact("soak-tcp clients that left", left, "count")));
  }

  /** Plays one round and returns how many clients left in mid-stream. */
  private static long play(
      int round,
      int streams,
      SplittableRandom random,
      MeasuringProcess worker,
      WorkerInstance target,
      TcpRequestPlane<PreprocessedRequest, LLMEngineOutput> plane,
      RealEnvironment threads)
      throws IOException, InterruptedException {
    CountDownLatch started = new CountDownLatch(streams);
    CountDownLatch ended = new CountDownLatch(streams);
    List<CheckedStream> clients = new ArrayList<>();
    for (int i = 0; i < streams; i++) {
      int stream = round * streams + i;
      int leaveAfter = i % 10 == 3 ? 2 + random.nextInt(TOKENS - 2) : TOKENS + 1;
      long window = i % 10 == 7 ? SLOW_WINDOW : TOKENS + 1;
      CheckedStream client = new CheckedStream(stream, TOKENS, leaveAfter, window, started, ended);
      clients.add(client);
      PreprocessedRequest request =
          PreprocessedRequest.builder("soak-" + stream, TokenSlice.of(stream))
              .stopConditions(StopConditions.builder().maxTokens(TOKENS).build())
              .build();
      Attempt attempt = Attempt.builder(request.requestId(), threads.lane("client")).build();
      plane.send(target, request, attempt).subscribe(client);
    }
    await("first tokens", started);
    requireNoFault(clients);
    require("streams open at the worker", worker.ask(TcpSoakWorker.OPEN, Integer.class) == streams);
    require("streams open here", plane.openRequestCount() == streams);
    require("released", worker.ask(TcpSoakWorker.RELEASE, Integer.class) == streams);
    await("ends", ended);
    requireNoFault(clients);
    awaitNone(worker, plane);
    return clients.stream().filter(CheckedStream::leaves).count();
  }

  private static void await(String what, CountDownLatch latch) throws InterruptedException {
    if (!latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      throw new IllegalStateException(what + " are missing: count=" + latch.getCount());
    }
  }

  /** Waits until neither side holds a stream; those that clients left end a little later. */
  private static void awaitNone(MeasuringProcess worker, TcpRequestPlane<?, ?> plane)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (worker.ask(TcpSoakWorker.OPEN, Integer.class) > 0 || plane.openRequestCount() > 0) {
      require("streams ended", System.nanoTime() < deadline);
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private static void requireNoFault(List<CheckedStream> clients) {
    for (CheckedStream client : clients) {
      String fault = client.fault();
      if (fault != null) {
        throw new IllegalStateException(fault);
      }
    }
  }

  private static void require(String what, boolean holds) {
    if (!holds) {
      throw new IllegalStateException("soak failed: what=" + what);
    }
  }
}
