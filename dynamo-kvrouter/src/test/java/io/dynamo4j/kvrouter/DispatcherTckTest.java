// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.contract.FlowTck;
import java.util.List;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.reactivestreams.tck.TestEnvironment;
import org.reactivestreams.tck.flow.FlowPublisherVerification;

/**
 * Streams of all dispatchers keep the rules of Reactive Streams, here with a host's own types: a
 * request is the number of items, an item its index.
 */
class DispatcherTckTest {
  private static RealEnvironment environment;
  private static InMemoryRequestPlane<Long, Long> plane;
  private static RequestDispatcher<Long, Long> kv;
  private static RequestDispatcher<Long, Long> pool;
  private static RequestDispatcher<Long, Long> disaggregated;
  private static RequestDispatcher<Long, Long> lonely;

  private static final class Counting implements RoutingAdapter<Long, Long> {
    @Override
    public TokenSlice tokenIds(Long request) {
      return TokenSlice.empty();
    }

    @Override
    public RoutingHints routing(Long request) {
      return RoutingHints.none();
    }

    @Override
    public int tokenCount(Long item) {
      return 1;
    }
  }

  /** A prefill worker sends one item, which is not passed on. */
  private static final class OneItem implements PrefillHandoff<Long, Long> {
    @Override
    public Long toPrefill(Long request) {
      return 1L;
    }

    @Override
    public boolean isWhole(Long last) {
      return false;
    }

    @Override
    public Long toDecode(Long request, Long last) {
      return request;
    }
  }

  @BeforeAll
  static void start() {
    environment = RealEnvironment.create();
    plane = InMemoryRequestPlane.create(environment.environment());
    InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
    kv = KvDispatcher.builder(new Counting()).router(router(directory)).requestPlane(plane).build();
    InMemoryWorkerDirectory prefillWorkers = InMemoryWorkerDirectory.create();
    prefillWorkers.register(RouterFixture.instance(1).build());
    disaggregated =
        DisaggregatedDispatcher.builder(new Counting(), new OneItem())
            .router(
                DisaggregatedRouter.builder()
                    .prefill(router(prefillWorkers))
                    .decode(router(directory))
                    .build())
            .requestPlane(plane)
            .build();
    pool = pool(directory);
    lonely = pool(InMemoryWorkerDirectory.create());
    Scheduler lane = environment.lane("counting");
    plane.serve(
        RouterFixture.instance(1).build(), lane, (id, count, sink) -> send(lane, sink, 0, count));
    directory.register(RouterFixture.instance(1).build());
  }

  private static KvRouter router(InMemoryWorkerDirectory directory) {
    return KvRouter.builder()
        .environment(environment.environment())
        .directory(directory)
        .indexer(new FakeIndexer(RouterFixture.BLOCK))
        .build();
  }

  private static RequestDispatcher<Long, Long> pool(InMemoryWorkerDirectory directory) {
    return PoolDispatcher.builder(new Counting())
        .policy(PoolPolicy.LEAST_LOADED)
        .directory(directory)
        .requestPlane(plane)
        .environment(environment.environment())
        .build();
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

  @TestFactory
  List<DynamicTest> shouldKeepRulesOfReactiveStreamsWhenRoutedByCache() {
    return tests(FlowTck.tests(() -> new Verification(kv), "optional_spec111"));
  }

  @TestFactory
  List<DynamicTest> shouldKeepRulesOfReactiveStreamsWhenPooled() {
    return tests(FlowTck.tests(() -> new Verification(pool), "optional_spec111"));
  }

  @TestFactory
  List<DynamicTest> shouldKeepRulesOfReactiveStreamsInTwoLegs() {
    return tests(FlowTck.tests(() -> new Verification(disaggregated), "optional_spec111"));
  }

  private static List<DynamicTest> tests(List<DynamicTest> tests) {
    assertThat(tests).hasSizeGreaterThan(24);
    return tests;
  }

  /** Streams of the requested length; its tests are found by reflection. */
  public static final class Verification extends FlowPublisherVerification<Long> {
    private static long nextId;
    private final RequestDispatcher<Long, Long> dispatcher;

    Verification(RequestDispatcher<Long, Long> dispatcher) {
      super(new TestEnvironment(20_000, 50, 10));
      this.dispatcher = dispatcher;
    }

    @Override
    public Flow.Publisher<Long> createFlowPublisher(long elements) {
      return dispatcher.dispatch(elements, attempt());
    }

    @Override
    public Flow.Publisher<Long> createFailedFlowPublisher() {
      return lonely.dispatch(0L, attempt());
    }

    @Override
    public long maxElementsFromPublisher() {
      return Integer.MAX_VALUE;
    }

    private static Attempt attempt() {
      return Attempt.builder("tck-" + nextId++, environment.lane("tck")).build();
    }
  }
}
