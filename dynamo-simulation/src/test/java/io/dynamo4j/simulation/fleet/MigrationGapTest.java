// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.event.AttemptReason;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.testkit.engine.EngineListener;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a migration costs between the break and the next token, and whose time that is. */
class MigrationGapTest {
  private static final int REQUESTS = 24;
  private static final long SECOND = 1_000_000_000;

  private record Gap(long lostNanos, long dispatchedNanos, long tokenNanos, long told) {}

  /** Puts the events of each migration together. */
  private static final class Gaps {
    final List<Gap> gaps = new ArrayList<>();
    private final long[] lost = new long[REQUESTS];
    private final long[] dispatched = new long[REQUESTS];

    void onEvent(MigrationEvent event, long nowNanos) {
      int request = Integer.parseInt(event.requestId());
      if (event instanceof MigrationEvent.StreamLost) {
        lost[request] = nowNanos;
      } else if (event instanceof MigrationEvent.AttemptStarted started
          && started.reason() == AttemptReason.FAILURE) {
        dispatched[request] = nowNanos;
      } else if (event instanceof MigrationEvent.Migrated migrated) {
        gaps.add(new Gap(lost[request], dispatched[request], nowNanos, migrated.gapNanos()));
      }
    }
  }

  private static final class Client implements Flow.Subscriber<LLMEngineOutput> {
    private boolean completed;

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(LLMEngineOutput item) {}

    @Override
    public void onError(Throwable error) {
      throw new AssertionError("stream failed", error);
    }

    @Override
    public void onComplete() {
      completed = true;
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"KV", "ROUND_ROBIN"})
  void shouldSpendLessThanOnePercentOfNewFirstTokenBetweenBreakAndDispatch(FleetPolicy policy) {
    Simulation simulation = Simulation.builder().seed(3).build();
    Gaps gaps = new Gaps();
    SimulatedFleet fleet =
        new SimulatedFleet(
            simulation,
            FleetConfig.builder().policy(policy).workers(4).killEvery(0).build(),
            new FleetSeams() {},
            position -> new EngineListener() {},
            event -> gaps.onEvent(event, simulation.nowNanos()));
    List<Client> clients = new ArrayList<>();
    for (int i = 0; i < REQUESTS; i++) {
      Client client = new Client();
      clients.add(client);
      fleet.answer(request(i)).subscribe(client);
    }
    simulation.runFor(3 * SECOND);
    fleet.workers().get(0).kill();
    fleet.workers().get(1).kill();
    simulation.run();

    assertThat(clients).allMatch(client -> client.completed);
    assertThat(gaps.gaps).hasSizeGreaterThan(REQUESTS / 3);
    for (Gap gap : gaps.gaps) {
      long own = gap.dispatchedNanos - gap.lostNanos;
      long firstToken = gap.tokenNanos - gap.dispatchedNanos;
      assertThat(own).isBetween(0L, firstToken / 100);
      assertThat(gap.told).isEqualTo(gap.tokenNanos - gap.lostNanos);
    }
  }

  private static PreprocessedRequest request(int number) {
    int[] prompt = new int[4_000];
    for (int i = 0; i < prompt.length; i++) {
      prompt[i] = number * 4_000 + i;
    }
    return PreprocessedRequest.builder(Integer.toString(number), TokenSlice.wrap(prompt))
        .stopConditions(StopConditions.builder().maxTokens(400).ignoreEos(true).build())
        .samplingOptions(SamplingOptions.builder().seed(number).build())
        .build();
  }
}
