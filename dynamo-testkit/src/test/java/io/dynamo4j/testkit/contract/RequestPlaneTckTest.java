// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import java.util.List;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.reactivestreams.tck.TestEnvironment;
import org.reactivestreams.tck.flow.FlowPublisherVerification;

/**
 * The in-memory request plane's streams keep the rules of Reactive Streams; taking several
 * subscribers is an optional one that a response stream does not mean to keep.
 */
class RequestPlaneTckTest {
  private static RealEnvironment environment;
  private static InMemoryRequestPlane<Long, Long> plane;

  @BeforeAll
  static void start() {
    environment = RealEnvironment.create();
    plane = InMemoryRequestPlane.create(environment.environment());
    Scheduler lane = environment.lane("counting");
    plane.serve(worker("counting"), lane, (id, count, sink) -> send(lane, sink, 0, count));
  }

  /** Sends a few items a millisecond, so that an endless stream leaves time to read it. */
  private static void send(Scheduler lane, ResponseSink<Long> sink, long from, long to) {
    long end = Math.min(to, from + 128);
    for (long i = from; i < end; i++) {
      if (!sink.next(i)) {
        return;
      }
    }
    if (end == to) {
      sink.complete();
    } else {
      lane.schedule(() -> send(lane, sink, end, to), 1_000_000);
    }
  }

  @AfterAll
  static void stop() {
    plane.close();
    environment.close();
  }

  private static WorkerInstance worker(String name) {
    return WorkerInstance.builder(1, InMemoryRequestPlane.address(name)).build();
  }

  @TestFactory
  List<DynamicTest> shouldKeepRulesOfReactiveStreams() {
    List<DynamicTest> tests = FlowTck.tests(Verification::new, "optional_spec111");
    assertThat(tests).hasSizeGreaterThan(24);
    return tests;
  }

  /** Streams of the requested length; its tests are found by reflection. */
  public static final class Verification extends FlowPublisherVerification<Long> {
    public Verification() {
      super(new TestEnvironment(20_000, 50, 10));
    }

    @Override
    public Flow.Publisher<Long> createFlowPublisher(long elements) {
      return plane.send(worker("counting"), elements, attempt());
    }

    @Override
    public Flow.Publisher<Long> createFailedFlowPublisher() {
      return plane.send(worker("nobody"), 0L, attempt());
    }

    @Override
    public long maxElementsFromPublisher() {
      return Integer.MAX_VALUE;
    }

    private static Attempt attempt() {
      return Attempt.builder("tck", environment.lane("tck")).build();
    }
  }
}
