// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A host's executor that is full for a moment: no watch, subscription or stream ends by it. */
class RefusingExecutorTest {
  private static final long TIMEOUT_SECONDS = 20;

  // The next task is refused from the start, and so before a lane is idle for the first time.
  private final AtomicInteger refusals = new AtomicInteger(1);
  private final AtomicInteger refused = new AtomicInteger();
  private final ExecutorService pool = Executors.newFixedThreadPool(2);
  private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
  private final Environment environment =
      RealEnvironment.over(
              task -> {
                if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                  refused.incrementAndGet();
                  throw new RejectedExecutionException("full for a moment");
                }
                pool.execute(task);
              },
              timer)
          .environment();
  private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

  @AfterEach
  void shutDown() {
    pool.shutdownNow();
    timer.shutdownNow();
  }

  private String next() throws InterruptedException {
    return String.valueOf(seen.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS));
  }

  private static WorkerInstance worker(long id) {
    return WorkerInstance.builder(id, InMemoryRequestPlane.address("w" + id)).build();
  }

  @Test
  void shouldSeeAllRegistrationsWhenTheExecutorRefusesOnce() throws InterruptedException {
    InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
    directory.watch(
        environment.lanes().lane("watch"),
        new WorkerDirectory.Listener() {
          @Override
          public void added(WorkerInstance instance) {
            seen.add("added " + instance.workerId());
          }

          @Override
          public void removed(WorkerInstance instance) {
            seen.add("removed " + instance.workerId());
          }
        });
    for (long id = 1; id <= 3; id++) {
      refusals.set(1);
      directory.register(worker(id));
      assertThat(next()).isEqualTo("added " + id);
    }
    assertThat(refused).hasPositiveValue();
  }

  @Test
  void shouldGetAllEnvelopesWhenTheExecutorRefusesOnce() throws InterruptedException {
    InMemoryEventPlane plane = InMemoryEventPlane.create(environment);
    EventScope scope = new EventScope.Namespace("prod");
    plane.subscribe(
        scope,
        "topic",
        environment.lanes().lane("feed"),
        envelope -> seen.add("sequence " + envelope.sequence()));
    EventPublisher publisher = plane.publisher(scope, "topic", 7);
    for (long sequence = 0; sequence < 3; sequence++) {
      refusals.set(1);
      publisher.publish(new byte[0]);
      assertThat(next()).isEqualTo("sequence " + sequence);
    }
    assertThat(refused).hasPositiveValue();
  }

  @Test
  void shouldEndStreamWhenTheExecutorRefusesOnceAtEachStep() throws InterruptedException {
    InMemoryRequestPlane<String, String> plane = InMemoryRequestPlane.create(environment);
    BlockingQueue<ResponseSink<String>> sinks = new LinkedBlockingQueue<>();
    plane.serve(worker(1), (id, request, sink) -> sinks.add(sink));
    refusals.set(1);
    plane
        .send(worker(1), "q", Attempt.builder("r", environment.lanes().lane("client")).build())
        .subscribe(collector());
    ResponseSink<String> sink = sinks.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    for (String item : List.of("a", "b")) {
      refusals.set(1);
      assertThat(sink.next(item)).isTrue();
      assertThat(next()).isEqualTo(item);
    }
    refusals.set(1);
    sink.complete();
    assertThat(next()).isEqualTo("completed");
    assertThat(refused).hasPositiveValue();
  }

  private Flow.Subscriber<String> collector() {
    return new Flow.Subscriber<>() {
      @Override
      public void onSubscribe(Flow.Subscription subscription) {
        subscription.request(Long.MAX_VALUE);
      }

      @Override
      public void onNext(String item) {
        seen.add(item);
      }

      @Override
      public void onError(Throwable error) {
        seen.add(error.toString());
      }

      @Override
      public void onComplete() {
        seen.add("completed");
      }
    };
  }
}
