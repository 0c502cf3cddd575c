// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.AttemptListener;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.engine.MockEngine;
import io.dynamo4j.testkit.engine.MockEngineConfig;
import io.dynamo4j.testkit.simulation.Mode;
import io.dynamo4j.testkit.simulation.SimulatedNode;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A whole disaggregated fleet in virtual time: engines that cache and publish in both pools, a
 * prefill worker that dies and comes back, conversations.
 */
class DisaggregatedFleetTest {
  private static final int BLOCK = 16;
  private static final MockEngineConfig ENGINE =
      MockEngineConfig.builder().blockSize(BLOCK).capacityBlocks(2_048).build();

  private final Simulation simulation =
      Simulation.builder().seed(7).mode(Mode.REFERENCE).maxEvents(Long.MAX_VALUE).build();
  private final Environment gateway = simulation.environment("gateway");
  private final InMemoryRequestPlane<PreprocessedRequest, LLMEngineOutput> plane =
      InMemoryRequestPlane.create(gateway);
  private final Pool prefill = new Pool("prefill");
  private final Pool decode = new Pool("decode");
  private final List<WorkerWithDpRank> chosen = new ArrayList<>();
  private long sentTokens;
  private int handedOver;
  private int aggregated;
  private int completed;
  private int failed;

  /** Workers with an index of their own, fed by their engines. */
  private final class Pool {
    final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
    final KvIndexer indexer;
    final String name;

    Pool(String name) {
      this.name = name;
      this.indexer = KvIndexer.builder().environment(gateway).blockSize(BLOCK).build();
    }

    MockEngine start(long id, boolean computes) {
      SimulatedNode node = simulation.node(name + "-" + id + "-" + simulation.nowNanos());
      MockEngine engine =
          MockEngine.builder()
              .lane(node.lane("engine"))
              .config(ENGINE)
              .stepStarter(node::atEndOfInstant)
              .eventSink(events -> submit(id, events))
              .build();
      WorkerInstance instance =
          RouterFixture.instance(id).incarnation(simulation.nowNanos()).kvBlockSize(BLOCK).build();
      plane.serve(instance, node.lane("serve"), computes ? handingOver(id, engine) : engine);
      directory.register(instance);
      return engine;
    }

    private void submit(long id, List<KvCacheEvent> events) {
      for (KvCacheEvent event : events) {
        indexer.submit(RouterEvent.of(id, StorageTier.DEVICE, event));
      }
    }

    KvRouter router(KvRouterConfig config) {
      return KvRouter.builder()
          .environment(gateway)
          .directory(directory)
          .indexer(indexer)
          .config(config)
          .build();
    }
  }

  /** Adds to the engine's only token what its blocks are known by. */
  private static RequestHandler<PreprocessedRequest, LLMEngineOutput> handingOver(
      long id, MockEngine engine) {
    return (requestId, request, sink) -> {
      assertThat(request.stopConditions().maxTokens()).isEqualTo(1);
      engine.handle(
          requestId,
          request,
          new ItemSink(
              sink,
              item ->
                  item.finishReason() == FinishReason.LENGTH
                      ? item.withDisaggregatedParams(Map.of("worker", id))
                      : item));
    };
  }

  private static int[] random(RandomSource random, int length) {
    int[] tokens = new int[length];
    for (int i = 0; i < length; i++) {
      tokens[i] = random.nextInt(50_000);
    }
    return tokens;
  }

  /** Conversations that repeat what they said; what of each prompt need not be sent is summed. */
  private void converse(
      DisaggregatedRouter router, RequestDispatcher<PreprocessedRequest, LLMEngineOutput> fleet) {
    for (int session = 0; session < 12; session++) {
      RandomSource random = RandomSource.seeded(3).split("session-" + session);
      int[] tokens = random(random, 40 * BLOCK);
      long nanos = random.nextInt(1_000_000_000);
      for (int turn = 0; turn < 5; turn++) {
        PreprocessedRequest request =
            PreprocessedRequest.builder(session + "-" + turn, TokenSlice.of(tokens))
                .stopConditions(StopConditions.builder().maxTokens(12).build())
                .build();
        simulation.controller().schedule(() -> arrive(router, fleet, request), nanos);
        nanos += 900_000_000L + random.nextInt(600_000_000);
        int[] longer = Arrays.copyOf(tokens, tokens.length + 2 * BLOCK);
        System.arraycopy(random(random, 2 * BLOCK), 0, longer, tokens.length, 2 * BLOCK);
        tokens = longer;
      }
    }
  }

  private void arrive(
      DisaggregatedRouter router,
      RequestDispatcher<PreprocessedRequest, LLMEngineOutput> fleet,
      PreprocessedRequest request) {
    try (DisaggregatedLease lease =
        router.trySelect(
            SchedulingRequest.builder("asked-" + request.requestId(), request.tokenIds())
                .build())) {
      sentTokens += request.tokenIds().length() - lease.decode().selection().cachedTokens();
    }
    Attempt attempt =
        Attempt.builder(request.requestId(), simulation.node("gateway").lane("request"))
            .listener(
                new AttemptListener() {
                  @Override
                  public void workerChosen(WorkerWithDpRank worker) {
                    chosen.add(worker);
                  }

                  @Override
                  public void streamOpened() {}
                })
            .build();
    fleet.dispatch(request, attempt).subscribe(new Reader());
  }

  private final class Reader implements Flow.Subscriber<LLMEngineOutput> {
    private int tokens;

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(LLMEngineOutput item) {
      tokens += item.tokenIds().length();
    }

    @Override
    public void onError(Throwable failure) {
      failed++;
    }

    @Override
    public void onComplete() {
      assertThat(tokens).isEqualTo(12);
      completed++;
    }
  }

  private void startDecodeWorkers() {
    for (long id = 11; id <= 13; id++) {
      decode.start(id, false);
    }
  }

  private RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher(
      DisaggregatedRouter router) {
    RequestDispatcher<PreprocessedRequest, LLMEngineOutput> legs =
        DisaggregatedDispatcher.builder(
                RoutingAdapter.preprocessed(), new CountingHandoff(PrefillHandoff.preprocessed()))
            .router(router)
            .requestPlane(plane)
            .build();
    return legs;
  }

  /** Counts what decode workers are told. */
  private final class CountingHandoff
      implements PrefillHandoff<PreprocessedRequest, LLMEngineOutput> {
    private final PrefillHandoff<PreprocessedRequest, LLMEngineOutput> handoff;

    CountingHandoff(PrefillHandoff<PreprocessedRequest, LLMEngineOutput> handoff) {
      this.handoff = handoff;
    }

    @Override
    public PreprocessedRequest toPrefill(PreprocessedRequest request) {
      return handoff.toPrefill(request);
    }

    @Override
    public boolean isWhole(LLMEngineOutput last) {
      return handoff.isWhole(last);
    }

    @Override
    public PreprocessedRequest toDecode(PreprocessedRequest request, LLMEngineOutput last) {
      PreprocessedRequest sent = handoff.toDecode(request, last);
      Object result = Objects.requireNonNull(sent.extensions().get("prefill_result"));
      assertThat(result)
          .isEqualTo(
              Map.of("disaggregated_params", Objects.requireNonNull(last.disaggregatedParams())));
      handedOver++;
      return sent;
    }
  }

  @ParameterizedTest(name = "credit of the decode router {0}")
  @ValueSource(doubles = {0, 1})
  void shouldServeEveryRequestOnOneWorkerOfEachPool(double credit) {
    prefill.start(1, true);
    prefill.start(2, true);
    startDecodeWorkers();
    KvRouter first = prefill.router(DisaggregatedRouter.prefillConfig(KvRouterConfig.ofDefaults()));
    KvRouter second = decode.router(KvRouterConfig.builder().overlapScoreCredit(credit).build());
    DisaggregatedRouter router =
        DisaggregatedRouter.builder().prefill(first).decode(second).build();
    converse(router, dispatcher(router));

    simulation.run();

    assertThat(completed).isEqualTo(60);
    assertThat(handedOver).isEqualTo(60);
    assertThat(chosen).hasSize(120);
    assertThat(chosen.stream().filter(w -> w.workerId() < 10)).hasSize(60);
    assertThat(first.bookingCount()).isZero();
    assertThat(second.bookingCount()).isZero();
    // What a session's decode worker holds of it need not be sent again.
    if (credit > 0) {
      assertThat(sentTokens).isLessThan(25_000);
    } else {
      assertThat(sentTokens).isGreaterThan(40_000);
    }
    // The engines report no usage here, so nothing is compared with what was predicted.
    assertThat(second.cacheAccuracy().reports()).isZero();
  }

  @Test
  void shouldServeFromTheDecodePoolWhileNoPrefillWorkerIsThere() {
    MockEngine engine = prefill.start(1, true);
    startDecodeWorkers();
    KvRouter first = prefill.router(DisaggregatedRouter.prefillConfig(KvRouterConfig.ofDefaults()));
    KvRouter second = decode.router(KvRouterConfig.ofDefaults());
    DisaggregatedRouter router =
        DisaggregatedRouter.builder().prefill(first).decode(second).build();
    converse(router, dispatcher(router));
    simulation
        .controller()
        .schedule(
            () -> {
              engine.shutdown();
              prefill.directory.unregister(1);
            },
            2_000_000_000L);
    simulation.controller().schedule(() -> prefill.start(2, true), 4_000_000_000L);

    simulation.run();

    aggregated = completed - handedOver;
    assertThat(completed + failed).isEqualTo(60);
    assertThat(failed).isLessThan(5);
    assertThat(aggregated).isGreaterThan(5);
    assertThat(handedOver).isGreaterThan(30);
    assertThat(chosen).contains(WorkerWithDpRank.of(1), WorkerWithDpRank.of(2));
    assertThat(first.bookingCount()).isZero();
    assertThat(second.bookingCount()).isZero();
  }
}
