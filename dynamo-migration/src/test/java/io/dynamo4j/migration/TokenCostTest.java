// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.testing.AllocationMeter;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.testkit.simulation.Simulation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What forwarding a token allocates, and how much a stream may hold. */
class TokenCostTest {
  private static final LLMEngineOutput TOKEN = LLMEngineOutput.of(TokenSlice.of(7));
  private static final Flow.Subscription DEAF =
      new Flow.Subscription() {
        @Override
        public void request(long n) {}

        @Override
        public void cancel() {}
      };

  /** A lane that runs its tasks when told to, and whose time stands still. */
  private static final class StandingLane implements Scheduler {
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    long clockReads;

    @Override
    public NanoClock clock() {
      return () -> {
        clockReads++;
        return 1;
      };
    }

    @Override
    public void execute(Runnable task) {
      tasks.add(task);
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
      return () -> true;
    }

    void run() {
      for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
        task.run();
      }
    }
  }

  private static final class Silent implements Flow.Subscriber<LLMEngineOutput> {
    long items;

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(LLMEngineOutput item) {
      items++;
    }

    @Override
    public void onError(Throwable error) {
      throw new AssertionError(error);
    }

    @Override
    public void onComplete() {}
  }

  /** Opens a stream and returns what its worker's tokens go to. */
  private static Flow.Subscriber<? super LLMEngineOutput> open(
      StandingLane lane, MigrationOptions options, Silent client) {
    List<Flow.Subscriber<? super LLMEngineOutput>> worker = new ArrayList<>();
    Migrator<PreprocessedRequest, LLMEngineOutput> migrator =
        Migrator.builder()
            .options(options)
            .adapter(ReplayAdapter.preprocessed())
            .dispatcher((request, attempt) -> worker::add)
            .environment(new Environment(name -> lane, () -> Instant.EPOCH, RandomSource.seeded(1)))
            .build();
    migrator.migrate(PreprocessedRequest.builder("r", Rig.PROMPT).build()).subscribe(client);
    lane.run();
    Flow.Subscriber<? super LLMEngineOutput> attempt = worker.get(0);
    attempt.onSubscribe(DEAF);
    return attempt;
  }

  private static double bytesPerToken(MigrationOptions options) {
    Silent client = new Silent();
    Flow.Subscriber<? super LLMEngineOutput> attempt = open(new StandingLane(), options, client);
    double bytes = AllocationMeter.create().bytesPerRun(() -> attempt.onNext(TOKEN));
    assertThat(client.items).isGreaterThan(20_000);
    return bytes;
  }

  @Test
  void shouldAllocateNothingPerTokenWhenNothingIsTracked() {
    assertThat(bytesPerToken(MigrationOptions.ofDefaults())).isZero();
    assertThat(bytesPerToken(MigrationOptions.builder().limit(3).maxSeqLen(8_192).build()))
        .as("beyond the cap")
        .isZero();
  }

  @Test
  void shouldAllocateOnlyTokensOwnRoomWhenTheyAreTracked() {
    MigrationOptions tracked =
        MigrationOptions.builder()
            .limit(3)
            .stallTimeout(Duration.ofSeconds(9))
            .hedgeAfter(Duration.ofSeconds(9))
            .deadline(Duration.ofHours(9))
            .build();

    assertThat(bytesPerToken(tracked)).isLessThanOrEqualTo(16);
  }

  @Test
  void shouldReadClockForOneTokenInEightWhenPaceIsKnown() {
    StandingLane lane = new StandingLane();
    Flow.Subscriber<? super LLMEngineOutput> attempt =
        open(lane, MigrationOptions.builder().limit(3).build(), new Silent());
    for (int i = 0; i < 64; i++) {
      attempt.onNext(TOKEN);
    }
    long before = lane.clockReads;

    for (int i = 0; i < 8_000; i++) {
      attempt.onNext(TOKEN);
    }

    assertThat(lane.clockReads - before).isBetween(1L, 1_000L);
  }

  @Test
  @Tag("slow")
  void shouldHoldNoMoreThanCapInEachOfTenThousandLongStreams() {
    int streams = 10_000;
    int cap = 8_192;
    LLMEngineOutput thousand = LLMEngineOutput.of(TokenSlice.wrap(new int[1_000]));
    Simulation simulation = Simulation.builder().seed(1).build();
    List<Flow.Subscriber<? super LLMEngineOutput>> workers = new ArrayList<>();
    List<Scheduler> lanes = new ArrayList<>();
    DefaultMigrator<PreprocessedRequest, LLMEngineOutput> migrator =
        (DefaultMigrator<PreprocessedRequest, LLMEngineOutput>)
            Migrator.builder()
                .limit(3)
                .maxSeqLen(cap)
                .adapter(ReplayAdapter.preprocessed())
                .dispatcher(
                    (request, attempt) ->
                        subscriber -> {
                          workers.add(subscriber);
                          lanes.add(attempt.lane());
                        })
                .environment(simulation.environment("gateway"))
                .build();
    for (int i = 0; i < streams; i++) {
      migrator
          .migrate(PreprocessedRequest.builder("r" + i, Rig.PROMPT).build())
          .subscribe(new Silent());
    }
    simulation.run();
    workers.forEach(worker -> worker.onSubscribe(DEAF));

    long most = 0;
    for (int round = 0; round < 100; round++) {
      for (int i = 0; i < streams; i++) {
        Flow.Subscriber<? super LLMEngineOutput> worker = workers.get(i);
        lanes.get(i).execute(() -> worker.onNext(thousand));
      }
      simulation.runFor(1);
      long held = migrator.heldTokens();
      most = Math.max(most, held);
      assertThat(held).isLessThanOrEqualTo((long) cap * streams);
    }

    assertThat(most).as("held at the most").isEqualTo(8_003L * streams);
    assertThat(migrator.heldTokens()).as("held beyond the cap").isZero();
    assertThat(migrator.stats().maxSeqLenExceeded()).isEqualTo(streams);
    assertThat(migrator.openRequests()).isEqualTo(streams);
  }
}
