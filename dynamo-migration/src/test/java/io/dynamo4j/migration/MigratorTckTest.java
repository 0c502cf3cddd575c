// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.testkit.contract.FlowTck;
import java.util.List;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.reactivestreams.tck.TestEnvironment;
import org.reactivestreams.tck.flow.FlowPublisherVerification;

/**
 * The migrator's streams keep the rules of Reactive Streams while their worker fails after every
 * third item. Two optional rules are not meant to be kept: several subscribers, and a stream that
 * ends without an item, which is an incomplete answer.
 */
class MigratorTckTest {
  private static final int ITEMS_PER_ATTEMPT = 3;
  private static final WorkerInstance WORKER =
      WorkerInstance.builder(1, InMemoryRequestPlane.address("counting")).build();

  private static RealEnvironment environment;
  private static InMemoryRequestPlane<Range, Counted> plane;
  private static Migrator<Range, Counted> migrator;

  /** A request to count from one number to another, which is left out. */
  record Range(long from, long to) {}

  /** One number, perhaps the last. */
  record Counted(long number, boolean last) {}

  @BeforeAll
  static void start() {
    environment = RealEnvironment.create();
    plane = InMemoryRequestPlane.create(environment.environment());
    plane.serve(WORKER, (id, range, sink) -> count(range, sink));
    migrator =
        Migrator.builder()
            .limit(MigrationOptions.MAX_UNSIGNED_INT)
            .adapter(new CountingAdapter())
            .dispatcher((range, attempt) -> plane.send(WORKER, range, attempt))
            .environment(environment.environment())
            .build();
  }

  private static void count(Range range, ResponseSink<Counted> sink) {
    if (range.from() < 0) {
      throw new DynamoException(ErrorType.INVALID_REQUEST, "range is negative: range=" + range);
    }
    long end = Math.min(range.to(), range.from() + ITEMS_PER_ATTEMPT);
    for (long i = range.from(); i < end; i++) {
      sink.next(new Counted(i, i + 1 == range.to()));
    }
    if (end == range.to()) {
      sink.complete();
    } else {
      sink.fail(new DynamoException(ErrorType.DISCONNECTED, "planted"));
    }
  }

  @AfterAll
  static void stop() {
    migrator.close();
    plane.close();
    environment.close();
  }

  @TestFactory
  List<DynamicTest> shouldKeepRulesOfReactiveStreams() {
    List<DynamicTest> tests =
        FlowTck.tests(Verification::new, "optional_spec111", "optional_spec105");
    assertThat(tests).hasSizeGreaterThan(24);
    return tests;
  }

  /** Streams of the requested length; its tests are found by reflection. */
  public static final class Verification extends FlowPublisherVerification<Counted> {
    public Verification() {
      super(new TestEnvironment(20_000, 50, 10));
    }

    @Override
    public Flow.Publisher<Counted> createFlowPublisher(long elements) {
      return migrator.migrate(new Range(0, elements));
    }

    @Override
    public Flow.Publisher<Counted> createFailedFlowPublisher() {
      return migrator.migrate(new Range(-1, -1));
    }

    @Override
    public long maxElementsFromPublisher() {
      return Integer.MAX_VALUE;
    }
  }

  /** Continues after the numbers that were delivered. */
  private static final class CountingAdapter implements ReplayAdapter<Range, Counted> {

    @Override
    public RequestProfile profile(Range request) {
      return RequestProfile.builder("tck", TokenSlice.empty()).build();
    }

    @Override
    public Range continuation(Range request, TokenSlice allTokens, long delivered) {
      return new Range(request.from() + delivered, request.to());
    }

    @Override
    public TokenSlice tokens(Counted item) {
      return TokenSlice.of((int) item.number());
    }

    @Override
    public @Nullable FinishReason finishReason(Counted item) {
      return item.last() ? FinishReason.STOP : null;
    }

    @Override
    public Counted finished(@Nullable Counted item, int kept, FinishReason reason) {
      throw new IllegalStateException("no budget to end by: item=" + item);
    }
  }
}
