// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.router;

import com.sun.management.ThreadMXBean;
import io.dynamo4j.kvrouter.KvRouter;
import io.dynamo4j.kvrouter.RequestLease;
import io.dynamo4j.kvrouter.SchedulingRequest;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/** Measures decisions over one fleet; all of them leave it as it was. */
final class RouterMeasurements implements AutoCloseable {
  private static final int BATCH = 16;
  private static final int MAX_THREADS = 8;

  /** Requests of several threads to one that is measured alone: enough to outlast their start. */
  private static final int THREADED_ROUNDS = 16;

  private final RouterFleet fleet;
  private final KvRouter router;
  private final int rounds;
  private final SchedulingRequest[] hashed = new SchedulingRequest[BATCH * MAX_THREADS];
  private final SchedulingRequest[] plain = new SchedulingRequest[BATCH * MAX_THREADS];
  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /**
   * Fills a fleet.
   *
   * @param decisions of one measurement
   */
  RouterMeasurements(int workers, int decisions) {
    this.fleet = new RouterFleet(workers);
    this.router = fleet.router();
    this.rounds = Math.max(1, decisions / BATCH);
    for (int i = 0; i < hashed.length; i++) {
      PromptHashes prompt = PromptHashes.of(1_000_000 + i);
      SchedulingRequest.Builder request =
          SchedulingRequest.builder("request-" + i, prompt.tokens());
      plain[i] = request.build();
      hashed[i] = request.blockHashes(prompt.local(), prompt.sequence()).build();
    }
  }

  /** Measures one thread; without hashing the prompts' hashes are told. */
  RouterFigures.Decision decisions(boolean hashing) {
    RequestLease[] leases = new RequestLease[BATCH];
    SchedulingRequest[] requests = hashing ? plain : hashed;
    long decided = 0;
    long ended = 0;
    long bytes = 0;
    for (int round = 0; round < rounds; round++) {
      long bytesBefore = threads.getCurrentThreadAllocatedBytes();
      long start = threads.getCurrentThreadCpuTime();
      for (int i = 0; i < BATCH; i++) {
        leases[i] = router.trySelect(requests[i]);
      }
      long between = threads.getCurrentThreadCpuTime();
      bytes += threads.getCurrentThreadAllocatedBytes() - bytesBefore;
      for (RequestLease lease : leases) {
        lease.markPrefillCompleted();
        lease.close();
      }
      decided += between - start;
      ended += threads.getCurrentThreadCpuTime() - between;
    }
    double count = (double) rounds * BATCH;
    return new RouterFigures.Decision(decided / count, ended / count, bytes / count);
  }

  /** Measures several threads at a time. */
  RouterFigures.Threads threads(int count) {
    ExecutorService executor = Executors.newFixedThreadPool(count);
    // Taken before any thread is let go: they may be done before this one runs again.
    AtomicLong startNanos = new AtomicLong();
    CyclicBarrier start = new CyclicBarrier(count, () -> startNanos.set(System.nanoTime()));
    int each = THREADED_ROUNDS * rounds * BATCH / count;
    try {
      List<Future<Long>> workers = new ArrayList<>();
      for (int thread = 0; thread < count; thread++) {
        int first = thread * BATCH;
        workers.add(executor.submit(() -> requests(first, each, start)));
      }
      long cpuNanos = 0;
      for (Future<Long> worker : workers) {
        cpuNanos += worker.get();
      }
      double requests = (double) each * count;
      double seconds = (System.nanoTime() - startNanos.get()) / 1e9;
      return new RouterFigures.Threads(requests / seconds, cpuNanos / requests);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("measurement failed: threads=" + count, e);
    } finally {
      executor.shutdownNow();
    }
  }

  private long requests(int first, int count, CyclicBarrier start) throws Exception {
    start.await();
    long before = threads.getCurrentThreadCpuTime();
    for (int i = 0; i < count; i++) {
      RequestLease lease = router.trySelect(hashed[first + i % BATCH]);
      lease.markPrefillCompleted();
      lease.close();
    }
    return threads.getCurrentThreadCpuTime() - before;
  }

  /** Returns what stays booked; every measurement has to leave as much. */
  int bookings() {
    return router.bookingCount();
  }

  @Override
  public void close() {
    fleet.close();
  }
}
