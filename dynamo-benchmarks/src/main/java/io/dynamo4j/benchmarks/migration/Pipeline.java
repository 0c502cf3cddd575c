// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.migration;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.kvrouter.PoolDispatcher;
import io.dynamo4j.kvrouter.PoolPolicy;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * Production's lanes, plane and dispatcher on the calling thread: tasks wait until {@link #pump},
 * so that nothing but the work itself is measured.
 */
final class Pipeline implements AutoCloseable {
  private final Thread owner = Thread.currentThread();
  private final Queue<Runnable> turns = new ArrayDeque<>();
  private final Queue<Runnable> timedTurns = new ConcurrentLinkedQueue<>();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(Pipeline::daemon);
  private final RealEnvironment lanes = RealEnvironment.over(this::add, timer);
  private final RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher;

  /** Makes a pipeline to two workers. */
  Pipeline(RequestHandler<PreprocessedRequest, LLMEngineOutput> worker) {
    InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
    var plane =
        InMemoryRequestPlane.<PreprocessedRequest, LLMEngineOutput>create(lanes.environment());
    for (long id = 1; id <= 2; id++) {
      WorkerInstance instance =
          WorkerInstance.builder(id, InMemoryRequestPlane.address("worker-" + id)).build();
      plane.serve(instance, worker);
      directory.register(instance);
    }
    this.dispatcher =
        PoolDispatcher.builder()
            .policy(PoolPolicy.ROUND_ROBIN)
            .directory(directory)
            .requestPlane(plane)
            .environment(lanes.environment())
            .build();
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "benchmark-timer");
    thread.setDaemon(true);
    return thread;
  }

  Environment environment() {
    return lanes.environment();
  }

  RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher() {
    return dispatcher;
  }

  /** What the timer's thread hands over goes its own way, so that the other one stays cheap. */
  private void add(Runnable turn) {
    if (Thread.currentThread() == owner) {
      turns.add(turn);
    } else {
      timedTurns.add(turn);
    }
  }

  /** Runs whatever is due. */
  void pump() {
    Runnable turn = next();
    while (turn != null) {
      turn.run();
      turn = next();
    }
  }

  private @Nullable Runnable next() {
    Runnable turn = turns.poll();
    return turn != null ? turn : timedTurns.poll();
  }

  @Override
  public void close() {
    lanes.close();
    timer.shutdownNow();
  }
}
