// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.health;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.kvrouter.RequestLease;
import io.dynamo4j.kvrouter.SchedulingRequest;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.testkit.search.ScenarioSpec;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.List;

/** Prompts of which half share a beginning with others, through each router in turn. */
final class WatchedTraffic {
  private static final long MILLI = 1_000_000L;
  private static final int SHARED_PREFIXES = 6;

  private final ScenarioSpec spec;
  private final Simulation simulation;
  private final List<WatchedWorker> workers;
  private final List<WatchedRouter> routers;
  private final RandomSource random;
  private long completed;
  private int number;

  WatchedTraffic(
      ScenarioSpec spec,
      Simulation simulation,
      List<WatchedWorker> workers,
      List<WatchedRouter> routers) {
    this.spec = spec;
    this.simulation = simulation;
    this.workers = workers;
    this.routers = routers;
    this.random = simulation.random("traffic");
  }

  void start(long untilNanos) {
    long gap = (long) (spec.setting(HealthDraw.GAP_MILLIS, 100) * MILLI);
    simulation
        .controller()
        .schedule(
            () -> {
              arrive();
              if (simulation.nowNanos() < untilNanos) {
                start(untilNanos);
              }
            },
            (long) (random.nextDouble() * 2 * gap) + 1);
  }

  long completed() {
    return completed;
  }

  private void arrive() {
    int router = number % routers.size();
    PreprocessedRequest request = request();
    simulation
        .node("router-" + router)
        .lane("requests")
        .execute(() -> route(routers.get(router), request));
  }

  private PreprocessedRequest request() {
    int length = WatchedWorker.BLOCK_SIZE + random.nextInt(12 * WatchedWorker.BLOCK_SIZE);
    int shared = random.nextInt(2) == 0 ? random.nextInt(length) : 0;
    int first = 1_000 * random.nextInt(SHARED_PREFIXES);
    int[] tokens = new int[length];
    for (int i = 0; i < length; i++) {
      tokens[i] = i < shared ? first + i : 10_000 + random.nextInt(1 << 20);
    }
    RoutingHints.Builder routing = RoutingHints.builder();
    if (spec.setting(HealthDraw.LORA, 0) > 0) {
      routing.loraName("adapter");
    }
    return PreprocessedRequest.builder("r" + ++number, TokenSlice.wrap(tokens))
        .routing(routing.build())
        .stopConditions(StopConditions.builder().maxTokens(1 + random.nextInt(30)).build())
        .build();
  }

  private void route(WatchedRouter router, PreprocessedRequest request) {
    RequestLease lease;
    try {
      lease =
          router
              .router()
              .trySelect(
                  SchedulingRequest.builder(request.requestId(), request.tokenIds())
                      .routing(request.routing())
                      .build());
    } catch (DynamoException nobodyThere) {
      return;
    }
    int position = (int) lease.worker().workerId() - 1;
    boolean isServed =
        workers
            .get(position)
            .serve(lease.instance(), lease.worker().dpRank(), request, new Answer(lease));
    if (!isServed) {
      lease.close();
    }
  }

  /** One answer on its way. */
  private final class Answer implements ResponseSink<LLMEngineOutput> {
    private final RequestLease lease;

    Answer(RequestLease lease) {
      this.lease = lease;
    }

    @Override
    public void onCancel(Runnable action) {
      // Nobody cancels.
    }

    @Override
    public void open() {
      // Nothing is known yet.
    }

    @Override
    public boolean next(LLMEngineOutput item) {
      if (item.tokenIds().length() > 0) {
        lease.markPrefillCompleted();
        lease.addOutputTokens(item.tokenIds().length());
      }
      return true;
    }

    @Override
    public void complete() {
      completed++;
      lease.close();
    }

    @Override
    public void fail(DynamoException error) {
      lease.close();
    }
  }
}
