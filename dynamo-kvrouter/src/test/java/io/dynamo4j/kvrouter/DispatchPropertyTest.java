// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.DispatchFixture.MILLI;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.kvrouter.DispatchFixture.Client;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.simulation.SimulationFailure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

/**
 * Random traffic over workers that refuse, fail, die, leave and return, and clients that cancel or
 * ask slowly: nothing stays booked, and whoever sees a terminal signal holds nothing any more.
 */
class DispatchPropertyTest {
  private static final int REQUESTS = 60;
  private static final int WORKERS = 4;

  /** One random run. */
  private static final class Run {
    private final DispatchFixture fixture;
    private final RandomSource random;
    private final RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher;
    private final IntSupplier held;
    private final Map<Long, ServedEndpoint> endpoints = new LinkedHashMap<>();
    private final List<Client> clients = new ArrayList<>();
    private int open;
    private int failures;
    private int completions;
    private int cancels;

    Run(
        DispatchFixture fixture,
        long seed,
        RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher,
        IntSupplier held) {
      this.fixture = fixture;
      this.random = RandomSource.seeded(seed).split("traffic");
      this.dispatcher = dispatcher;
      this.held = held;
    }

    Run play() {
      for (long id = 1; id <= WORKERS; id++) {
        endpoints.put(id, fixture.serve(id, handler()));
      }
      Scheduler controller = fixture.simulation.controller();
      for (int i = 0; i < REQUESTS; i++) {
        String id = "r" + i;
        controller.schedule(() -> start(id), random.nextInt(200) * MILLI / 4);
      }
      for (int i = 0; i < 6; i++) {
        controller.schedule(this::disturb, random.nextInt(50) * MILLI);
      }
      fixture.simulation.run();
      for (Client client : clients) {
        client.demand(Long.MAX_VALUE);
      }
      fixture.simulation.run();
      assertThat(held.getAsInt()).isZero();
      assertThat(open).isZero();
      return this;
    }

    /** Serves workers of a pool of their own, which nobody disturbs but their requests' fate. */
    Run serving(InMemoryWorkerDirectory pool, long... ids) {
      for (long id : ids) {
        WorkerInstance instance = RouterFixture.instance(id).build();
        pool.register(instance);
        fixture.plane.serve(instance, handler());
      }
      return this;
    }

    private void start(String id) {
      Client client = fixture.client(id).demanding(random.nextInt(2) == 0 ? 1 : Long.MAX_VALUE);
      boolean[] over = new boolean[1];
      client.whenItem(
          c -> {
            if (random.nextInt(12) == 0) {
              c.cancel();
              cancelled(over);
            } else if (random.nextInt(3) > 0) {
              c.demand(1);
            }
          });
      client.whenTerminal(
          c -> {
            assertThat(over[0]).isFalse();
            over[0] = true;
            open--;
            if (c.completed) {
              completions++;
            } else {
              failures++;
            }
            assertThat(held.getAsInt()).isLessThanOrEqualTo(open);
          });
      open++;
      clients.add(client);
      client.start(dispatcher);
      if (random.nextInt(6) == 0) {
        fixture
            .simulation
            .controller()
            .schedule(
                () -> {
                  if (client.subscribed) {
                    client.cancel();
                    cancelled(over);
                  }
                },
                random.nextInt(5) * MILLI / 2);
      }
    }

    private void cancelled(boolean[] over) {
      if (!over[0]) {
        over[0] = true;
        open--;
        cancels++;
      }
      assertThat(held.getAsInt()).isLessThanOrEqualTo(open);
    }

    private RequestHandler<PreprocessedRequest, LLMEngineOutput> handler() {
      Scheduler lane = fixture.simulation.node("workers").lane("streams");
      return (id, request, sink) -> {
        switch (random.nextInt(8)) {
          case 0 -> throw new DynamoException(ErrorType.WORKER_OVERLOADED, "full");
          case 1 -> throw new IllegalStateException("handler is broken");
          case 2 -> sink.fail(new DynamoException(ErrorType.BACKEND_UNKNOWN, "no reason"));
          default -> answer(lane, sink, random.nextInt(8));
        }
      };
    }

    private void answer(Scheduler lane, ResponseSink<LLMEngineOutput> sink, int items) {
      for (int i = 1; i <= items; i++) {
        lane.schedule(() -> sink.next(DispatchFixture.token()), i * MILLI);
      }
      Runnable end =
          random.nextInt(4) == 0
              ? () -> sink.fail(new DynamoException(ErrorType.ENGINE_SHUTDOWN, "shut down"))
              : sink::complete;
      lane.schedule(end, (items + 1) * MILLI);
    }

    /** A worker dies, leaves, or both; if it had left it returns. */
    private void disturb() {
      long id = 1L + random.nextInt(WORKERS);
      ServedEndpoint endpoint = endpoints.remove(id);
      if (endpoint == null) {
        endpoints.put(id, fixture.serve(id, handler()));
        return;
      }
      endpoint.abort();
      endpoint.close();
      if (random.nextInt(2) == 0) {
        fixture.directory.unregister(id);
      }
    }
  }

  private static Run playKv(long seed) {
    DispatchFixture fixture = new DispatchFixture(seed);
    KvRouter router = fixture.router();
    return new Run(fixture, seed, fixture.kv(router), router::bookingCount).play();
  }

  private static Run playPool(long seed, PoolPolicy policy) {
    DispatchFixture fixture = new DispatchFixture(seed);
    PoolDispatcher<PreprocessedRequest, LLMEngineOutput> pool = fixture.pool(policy);
    return new Run(fixture, seed, pool, pool::inFlightCount).play();
  }

  private static Run playDisaggregated(long seed) {
    DispatchFixture fixture = new DispatchFixture(seed);
    InMemoryWorkerDirectory prefillWorkers = InMemoryWorkerDirectory.create();
    KvRouter decode = fixture.router();
    KvRouter prefill =
        KvRouter.builder()
            .environment(fixture.simulation.environment("prefill-router"))
            .directory(prefillWorkers)
            .indexer(fixture.indexer)
            .build();
    RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher =
        DisaggregatedDispatcher.builder()
            .router(DisaggregatedRouter.builder().prefill(prefill).decode(decode).build())
            .requestPlane(fixture.plane)
            .build();
    return new Run(
            fixture,
            seed,
            dispatcher,
            () -> Math.max(prefill.bookingCount(), decode.bookingCount()))
        .serving(prefillWorkers, 11, 12)
        .play();
  }

  @Property(tries = 120)
  void shouldLeaveNothingBookedInEitherPool(@ForAll long seed) {
    playDisaggregated(seed);
  }

  @Property(tries = 200)
  void shouldLeaveNothingBooked(@ForAll long seed) {
    playKv(seed);
  }

  @Property(tries = 60)
  void shouldLeaveNothingInFlight(@ForAll long seed, @ForAll PoolPolicy policy) {
    playPool(seed, policy);
  }

  @Property(tries = 10)
  void shouldRepeatARunExactly(@ForAll @LongRange(min = 0, max = 1_000) long seed) {
    assertThat(playKv(seed).fixture.simulation.traceHash())
        .isEqualTo(playKv(seed).fixture.simulation.traceHash());
    assertThat(playDisaggregated(seed).fixture.simulation.traceHash())
        .isEqualTo(playDisaggregated(seed).fixture.simulation.traceHash());
  }

  /** Forgets every fifth release. */
  private static final class ForgetfulTracker extends ReferenceTracker {
    private int frees;

    @Override
    public boolean free(Booking booking) {
      return ++frees % 5 != 0 && super.free(booking);
    }
  }

  @Example
  void shouldCatchABookingThatIsNeverReleased() {
    DispatchFixture fixture = new DispatchFixture(1);
    KvRouter router =
        KvRouter.builder()
            .environment(fixture.simulation.environment("gateway"))
            .directory(fixture.directory)
            .indexer(fixture.indexer)
            .tracker(new ForgetfulTracker())
            .build();
    Run run = new Run(fixture, 1, fixture.kv(router), router::bookingCount);

    assertThatThrownBy(run::play).isInstanceOfAny(AssertionError.class, SimulationFailure.class);
  }

  @Example
  void shouldMeetEveryKindOfEnd() {
    int failures = 0;
    int completions = 0;
    int cancels = 0;
    for (long seed = 0; seed < 20; seed++) {
      for (Run run : List.of(playKv(seed), playDisaggregated(seed))) {
        failures += run.failures;
        completions += run.completions;
        cancels += run.cancels;
      }
    }
    assertThat(failures).isGreaterThan(200);
    assertThat(completions).isGreaterThan(200);
    assertThat(cancels).isGreaterThan(100);
  }
}
