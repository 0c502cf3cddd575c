// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.AttemptListener;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerHealth;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Workers on an in-memory plane in virtual time, and clients that write down what they see. */
final class DispatchFixture {
  static final long MILLI = 1_000_000;

  final Simulation simulation;
  final InMemoryRequestPlane<PreprocessedRequest, LLMEngineOutput> plane;
  final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
  final FakeIndexer indexer = new FakeIndexer(RouterFixture.BLOCK);
  final WorkerHealth health;

  DispatchFixture(long seed) {
    this.simulation = Simulation.builder().seed(seed).build();
    this.plane = InMemoryRequestPlane.create(simulation.environment("plane"));
    this.health = WorkerHealth.create(simulation.node("gateway").lane("health").clock());
  }

  WorkerInstance register(long id) {
    WorkerInstance instance = RouterFixture.instance(id).build();
    directory.register(instance);
    return instance;
  }

  ServedEndpoint serve(long id, RequestHandler<PreprocessedRequest, LLMEngineOutput> handler) {
    return plane.serve(register(id), handler);
  }

  /** Answers with single tokens, the first after a millisecond, one each millisecond. */
  RequestHandler<PreprocessedRequest, LLMEngineOutput> tokens(int count) {
    return (requestId, request, sink) -> {
      Scheduler lane = simulation.node("workers").lane("stream");
      for (int i = 1; i <= count; i++) {
        lane.schedule(() -> sink.next(token()), i * MILLI);
      }
      lane.schedule(sink::complete, count * MILLI);
    };
  }

  static LLMEngineOutput token() {
    return LLMEngineOutput.of(TokenSlice.of(7));
  }

  KvRouter router() {
    return KvRouter.builder()
        .environment(simulation.environment("gateway"))
        .directory(directory)
        .indexer(indexer)
        .health(health)
        .build();
  }

  RequestDispatcher<PreprocessedRequest, LLMEngineOutput> kv(KvRouter router) {
    return KvDispatcher.builder().router(router).requestPlane(plane).build();
  }

  PoolDispatcher<PreprocessedRequest, LLMEngineOutput> pool(PoolPolicy policy) {
    return PoolDispatcher.builder()
        .policy(policy)
        .directory(directory)
        .health(health)
        .requestPlane(plane)
        .environment(simulation.environment("gateway"))
        .build();
  }

  static PreprocessedRequest request(String id) {
    return PreprocessedRequest.builder(id, RouterFixture.tokens(0, 16)).build();
  }

  Client client(String id) {
    return new Client(id);
  }

  /** One attempt and its subscriber. */
  final class Client implements Flow.Subscriber<LLMEngineOutput>, AttemptListener {
    private final String id;
    private Attempt.Builder attempt;
    final List<WorkerWithDpRank> chosen = new ArrayList<>();
    int items;
    boolean subscribed;
    boolean opened;
    boolean completed;
    @Nullable Throwable failure;
    private long initialDemand = Long.MAX_VALUE;
    private Flow.@Nullable Subscription subscription;
    private Consumer<Client> onTerminal = client -> {};
    private Consumer<Client> onItem = client -> {};

    Client(String id) {
      this.id = id;
      this.attempt =
          Attempt.builder(id, simulation.node("gateway").lane("request-" + id)).listener(this);
    }

    /** Runs on a lane of another node than the router's. */
    Client on(String node) {
      this.attempt =
          Attempt.builder(id, simulation.node(node).lane("request-" + id)).listener(this);
      return this;
    }

    Attempt.Builder attempt() {
      return attempt;
    }

    Client demanding(long items) {
      this.initialDemand = items;
      return this;
    }

    Client whenTerminal(Consumer<Client> action) {
      this.onTerminal = action;
      return this;
    }

    Client whenItem(Consumer<Client> action) {
      this.onItem = action;
      return this;
    }

    Client start(RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher) {
      return start(dispatcher, request(id));
    }

    Client start(
        RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher,
        PreprocessedRequest request) {
      dispatcher.dispatch(request, attempt.build()).subscribe(this);
      return this;
    }

    boolean isTerminated() {
      return completed || failure != null;
    }

    void demand(long count) {
      if (subscription != null) {
        subscription.request(count);
      }
    }

    void cancel() {
      if (subscription != null) {
        subscription.cancel();
      }
    }

    @Override
    public void workerChosen(WorkerWithDpRank worker) {
      chosen.add(worker);
    }

    @Override
    public void streamOpened() {
      opened = true;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      this.subscribed = true;
      this.subscription = subscription;
      if (initialDemand != 0) {
        subscription.request(initialDemand);
      }
    }

    @Override
    public void onNext(LLMEngineOutput item) {
      items++;
      onItem.accept(this);
    }

    @Override
    public void onError(Throwable throwable) {
      terminate();
      failure = throwable;
      onTerminal.accept(this);
    }

    @Override
    public void onComplete() {
      terminate();
      completed = true;
      onTerminal.accept(this);
    }

    private void terminate() {
      if (isTerminated()) {
        throw new AssertionError("two terminal signals: request=" + id);
      }
    }
  }
}
