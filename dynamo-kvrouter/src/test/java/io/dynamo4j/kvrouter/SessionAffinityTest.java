// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.FailureVerdict;
import io.dynamo4j.plane.ResponseStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SessionAffinityTest {
  private static final long SECOND = 1_000_000_000L;

  private final DispatchFixture fixture = new DispatchFixture(1);
  private final NanoClock clock = fixture.simulation.node("gateway").lane("clock").clock();
  private final List<Long> chosen = new ArrayList<>();
  private SessionAffinity affinity = affinity(8);

  private SessionAffinity affinity(int capacity) {
    return SessionAffinity.over(this::choose)
        .clock(clock)
        .idleNanos(60 * SECOND)
        .capacity(capacity)
        .build();
  }

  @BeforeEach
  void register() {
    for (long id = 1; id <= 3; id++) {
      fixture.register(id);
    }
  }

  /** Chooses the preferred or allowed worker, else in turn, the next if that one is excluded. */
  private ResponseStream<LLMEngineOutput> choose(PreprocessedRequest request, Attempt attempt) {
    WorkerWithDpRank preferred = request.routing().preferredWorker();
    for (long id = 3; id >= 1; id--) {
      WorkerWithDpRank worker = WorkerWithDpRank.of(id);
      boolean isFree = preferred == null || attempt.excludedWorkers().contains(preferred);
      boolean takesTurns = request.routing().allowedWorkerIds() != null || id == turn();
      if (request.routing().allows(id)
          && (isFree ? takesTurns : worker.equals(preferred))
          && !attempt.excludedWorkers().contains(worker)) {
        chosen.add(id);
        attempt.workerChosen(worker);
        break;
      }
    }
    return subscriber -> {};
  }

  private long turn() {
    return 1L + chosen.size() % 3;
  }

  private static PreprocessedRequest request(String session) {
    Map<String, Object> context = new LinkedHashMap<>();
    context.put("session_id", session);
    Map<String, Object> extensions = new LinkedHashMap<>();
    extensions.put("agent_context", context);
    return PreprocessedRequest.builder("r", TokenSlice.of(1)).extensions(extensions).build();
  }

  private void dispatch(PreprocessedRequest request, WorkerWithDpRank... excluded) {
    affinity.dispatch(
        request,
        Attempt.builder("r", fixture.simulation.node("gateway").lane("r"))
            .excludedWorkers(Set.of(excluded))
            .build());
  }

  @Test
  void shouldKeepASessionOnItsWorkerAndLeaveOthersAlone() {
    dispatch(request("s"));
    dispatch(request("s"));
    dispatch(request(""));
    dispatch(request("s"));
    dispatch(request("t"));

    assertThat(chosen).containsExactly(1L, 1L, 3L, 1L, 2L);
    assertThat(affinity.bindingCount()).isEqualTo(2);
  }

  @Test
  void m7ShouldTakeTheSessionAlongWhenItsWorkerFailedTheRequest() {
    dispatch(request("s"));

    dispatch(request("s"), WorkerWithDpRank.of(1));
    dispatch(request("s"));

    assertThat(chosen).containsExactly(1L, 2L, 2L);
  }

  @Test
  void m7ShouldDropABindingWhoseWorkerIsGoneInhibitedOrDrains() {
    affinity =
        SessionAffinity.over(fixture.pool(PoolPolicy.ROUND_ROBIN))
            .clock(clock)
            .idleNanos(60 * SECOND)
            .build();

    long first = chosenByPool();
    assertThat(chosenByPool()).isEqualTo(first);
    fixture.directory.unregister(first);
    long second = chosenByPool();
    assertThat(second).isNotEqualTo(first);
    assertThat(chosenByPool()).isEqualTo(second);
    fixture.health.recordFailure(
        WorkerWithDpRank.of(second), FailureVerdict.ofDefaults(ErrorType.DISCONNECTED));
    long third = chosenByPool();
    assertThat(third).isNotIn(first, second);
    fixture.health.drain(third);
    assertThat(chosenByPool()).isEqualTo(second);
  }

  private long chosenByPool() {
    DispatchFixture.Client client = fixture.client("r" + chosen.size());
    affinity.dispatch(request("s"), client.attempt().build()).subscribe(client);
    fixture.simulation.run();
    long worker = client.chosen.get(0).workerId();
    chosen.add(worker);
    return worker;
  }

  @Test
  void shouldLetPinsAndAllowListsGoFirst() {
    dispatch(request("s"));

    dispatch(
        request("s").toBuilder()
            .routing(RoutingHints.builder().allowedWorkerIds(3).build())
            .build());

    assertThat(chosen).containsExactly(1L, 3L);
  }

  @Test
  void shouldForgetBindingsThatNobodyUses() {
    dispatch(request("s"));
    fixture.simulation.runFor(59 * SECOND);
    dispatch(request("s"));
    fixture.simulation.runFor(59 * SECOND);
    dispatch(request("s"));
    fixture.simulation.runFor(60 * SECOND);
    dispatch(request("s"));

    assertThat(chosen).containsExactly(1L, 1L, 1L, 1L);
    assertThat(affinity.bindingCount()).isEqualTo(1);
    fixture.simulation.runFor(60 * SECOND);
    assertThat(affinity.bindingCount()).isZero();
  }

  @Test
  void shouldBoundItsBindings() {
    affinity = affinity(2);

    for (String session : List.of("s", "t", "s", "u", "s")) {
      dispatch(request(session));
    }

    assertThat(affinity.bindingCount()).isEqualTo(2);
    assertThat(chosen).containsExactly(1L, 2L, 1L, 1L, 1L);
  }

  @Test
  void shouldBindNoIdBeyond256Bytes() {
    String longest = "é".repeat(128);
    dispatch(request(longest));
    dispatch(request(longest));
    dispatch(request(longest + "x"));

    assertThat(affinity.bindingCount()).isEqualTo(1);
    assertThat(chosen).containsExactly(1L, 1L, 3L);
  }

  private Optional<SessionAffinity.Builder> ofVariables(String... namesAndValues) {
    Map<String, String> environment = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      environment.put("DYN_ROUTER_SESSION_AFFINITY_" + namesAndValues[i], namesAndValues[i + 1]);
    }
    return SessionAffinity.fromEnvironment(this::choose, environment);
  }

  @Test
  void shouldReadItsIdleTimeFromTheVariable() {
    affinity = ofVariables("TTL_SECS", " 5 ", "MODE", "hard").orElseThrow().clock(clock).build();
    dispatch(request("s"));
    fixture.simulation.runFor(5 * SECOND - 1);
    assertThat(affinity.bindingCount()).isEqualTo(1);

    fixture.simulation.runFor(1);

    assertThat(affinity.bindingCount()).isZero();
    assertThat(ofVariables("TTL_SECS", "31536000")).isPresent();
  }

  @Test
  void shouldBeOffWithoutTheVariable() {
    assertThat(ofVariables()).isEmpty();
    assertThat(ofVariables("MODE", "hard")).isEmpty();
    assertThat(ofVariables("TTL_SECS", "soon")).isEmpty();
    assertThat(ofVariables("TTL_SECS", "1.5")).isEmpty();
    assertThat(ofVariables("TTL_SECS", "NaN")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "TTL_SECS, 0, session_affinity_ttl_secs must be between 1 and 31536000",
    "TTL_SECS, -3, session_affinity_ttl_secs must be between 1 and 31536000",
    "TTL_SECS, 31536001, session_affinity_ttl_secs must be between 1 and 31536000",
    "TTL_SECS, Infinity, session_affinity_ttl_secs must be between 1 and 31536000",
    "MODE, soft, session_affinity_mode is not supported by this library",
    "MODE, firm, session_affinity_mode must be hard or soft"
  })
  void shouldRefuseVariablesByName(String name, String value, String text) {
    assertThatThrownBy(() -> ofVariables(name, value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(text + ": DYN_ROUTER_SESSION_AFFINITY_" + name + "=");
  }

  @Test
  void shouldRefuseWhatMakesNoSense() {
    assertThatThrownBy(() -> SessionAffinity.over(this::choose).build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("clock=missing");
    assertThatThrownBy(() -> SessionAffinity.over(this::choose).idleNanos(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nanos=0");
    assertThatThrownBy(() -> SessionAffinity.over(this::choose).capacity(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("sessions=0");
  }
}
