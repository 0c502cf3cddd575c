// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.DispatchFixture.MILLI;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.kvrouter.DispatchFixture.Client;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PoolDispatcherTest {

  private static DispatchFixture fleet(long seed, int workers) {
    DispatchFixture fixture = new DispatchFixture(seed);
    // Ids at the top are the largest as unsigned numbers, however they compare as signed ones.
    for (int i = workers - 1; i >= 0; i--) {
      fixture.serve(id(i), fixture.tokens(2));
    }
    return fixture;
  }

  private static long id(int index) {
    return index - 2L;
  }

  /** Returns the indexes, in unsigned order of ids, of the workers chosen for n requests. */
  private static List<Integer> choices(
      DispatchFixture fixture,
      PoolDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher,
      int n) {
    List<Client> clients = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      clients.add(fixture.client("r" + i).start(dispatcher));
      fixture.simulation.runFor(10 * MILLI);
    }
    List<WorkerWithDpRank> order =
        fixture.directory.instances().stream().map(instance -> instance.rank(0)).toList();
    return clients.stream().map(client -> order.indexOf(client.chosen.get(0))).toList();
  }

  @Test
  void shouldGoRoundByUnsignedWorkerId() {
    DispatchFixture fixture = fleet(1, 5);

    assertThat(choices(fixture, fixture.pool(PoolPolicy.ROUND_ROBIN), 23))
        .isEqualTo(IntStream.range(0, 23).map(i -> i % 5).boxed().toList());
    assertThat(fixture.directory.instances().get(0).workerId()).isEqualTo(0);
    assertThat(fixture.directory.instances().get(4).workerId()).isEqualTo(-1);
  }

  @Test
  void shouldNotLetRetriesShiftFirstAttempts() {
    DispatchFixture fixture = fleet(1, 4);
    PoolDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher =
        fixture.pool(PoolPolicy.ROUND_ROBIN);
    List<WorkerWithDpRank> firsts = new ArrayList<>();
    List<WorkerWithDpRank> retries = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Client first = fixture.client("r" + i).start(dispatcher);
      Client retry = fixture.client("r" + i);
      retry.attempt().number(1).excludedWorkers(Set.of(worker(id(i % 4))));
      retry.start(dispatcher);
      fixture.simulation.runFor(10 * MILLI);
      firsts.addAll(first.chosen);
      retries.addAll(retry.chosen);
      assertThat(retry.chosen).doesNotContain(worker(id(i % 4)));
    }

    List<WorkerWithDpRank> order =
        fixture.directory.instances().stream().map(instance -> instance.rank(0)).toList();
    assertThat(firsts.stream().map(order::indexOf).toList())
        .containsExactly(0, 1, 2, 3, 0, 1, 2, 3);
    assertThat(retries).hasSize(8);
  }

  @Test
  void shouldSpreadEvenlyOverThoseThatAreLeft() {
    DispatchFixture fixture = fleet(1, 5);
    fixture.health.drain(fixture.directory.instances().get(1).workerId());

    assertThat(choices(fixture, fixture.pool(PoolPolicy.ROUND_ROBIN), 8))
        .containsExactly(0, 2, 3, 4, 0, 2, 3, 4);
  }

  @Test
  void shouldAvoidAWorkerThatFailedJustNow() {
    DispatchFixture fixture = fleet(1, 2);
    WorkerWithDpRank sick = worker(id(0));
    fixture.health.recordFailure(
        sick, new DynamoException(ErrorType.DISCONNECTED, "connection lost", sick));

    List<Integer> chosen = choices(fixture, fixture.pool(PoolPolicy.ROUND_ROBIN), 6);

    assertThat(Set.copyOf(chosen)).hasSize(1);
  }

  @Test
  void shouldDrawUniformlyAndTheSameForTheSameSeed() {
    DispatchFixture fixture = fleet(3, 4);
    List<Integer> chosen = choices(fixture, fixture.pool(PoolPolicy.RANDOM), 400);

    for (int i = 0; i < 4; i++) {
      int index = i;
      assertThat(chosen.stream().filter(c -> c == index).count()).isBetween(70L, 130L);
    }
    DispatchFixture again = fleet(3, 4);
    assertThat(choices(again, again.pool(PoolPolicy.RANDOM), 400)).isEqualTo(chosen);
  }

  @Test
  void shouldChooseTheLeastLoaded() {
    DispatchFixture fixture = fleet(1, 4);
    PoolDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher =
        fixture.pool(PoolPolicy.LEAST_LOADED);
    List<Client> clients = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      clients.add(fixture.client("r" + i).start(dispatcher));
    }
    fixture.simulation.runFor(MILLI / 2);

    assertThat(dispatcher.inFlightCount()).isEqualTo(12);
    for (int i = 0; i < 4; i++) {
      WorkerWithDpRank rank = worker(id(i));
      assertThat(clients.stream().filter(client -> client.chosen.contains(rank)).count())
          .isEqualTo(3);
    }
    fixture.simulation.run();
    assertThat(dispatcher.inFlightCount()).isZero();
  }

  @ParameterizedTest
  @EnumSource(PoolPolicy.class)
  void shouldGiveBackBeforeTheTerminalSignalAndInsideCancel(PoolPolicy policy) {
    DispatchFixture fixture = fleet(1, 1);
    fixture.register(77);
    PoolDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher = fixture.pool(policy);
    List<Integer> inFlight = new ArrayList<>();
    Client reached = fixture.client("reached");
    reached.attempt().excludedWorkers(Set.of(worker(77)));
    reached.whenTerminal(c -> inFlight.add(dispatcher.inFlightCount())).start(dispatcher);
    fixture.simulation.run();
    Client unreached = fixture.client("unreached");
    unreached.attempt().excludedWorkers(Set.of(worker(id(0))));
    unreached.whenTerminal(c -> inFlight.add(dispatcher.inFlightCount())).start(dispatcher);
    fixture.simulation.run();
    Client cancelled = fixture.client("cancelled");
    cancelled.attempt().excludedWorkers(Set.of(worker(77)));
    cancelled.start(dispatcher);
    fixture.simulation.runFor(MILLI / 2);
    assertThat(dispatcher.inFlightCount()).isEqualTo(1);
    cancelled.cancel();

    assertThat(reached.completed).isTrue();
    assertThat(unreached.failure).isInstanceOf(DynamoException.class);
    assertThat(inFlight).containsExactly(0, 0);
    assertThat(dispatcher.inFlightCount()).isZero();
  }

  @ParameterizedTest
  @EnumSource(PoolPolicy.class)
  void shouldReportAnEmptyFleetOnTheStream(PoolPolicy policy) {
    DispatchFixture fixture = new DispatchFixture(1);
    Client client = fixture.client("r").start(fixture.pool(policy));

    fixture.simulation.run();

    assertThat(client.failure).isInstanceOf(NoEligibleWorkerException.class);
  }
}
