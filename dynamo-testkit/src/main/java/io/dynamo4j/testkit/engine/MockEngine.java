// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.engine;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.ResponseSink;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A worker that schedules, caches and publishes like vLLM and generates tokens that prove their
 * context.
 *
 * <p><b>Steps.</b> The engine works in steps, one at a time, each one event of its lane. A step's
 * content is fixed when it starts, its tokens are sent when it ends, its length comes from the
 * {@link StepTimeModel}. The start goes through the step starter: everything that arrives at one
 * instant of virtual time shall be queued before a step starts, so a simulation hands in its end of
 * instant; elsewhere the lane itself does.
 *
 * <p><b>Cache.</b> A block's identity is its content: the sequence hash, which also is the external
 * hash in events; the local hash is the tokens hash. Events are numbered from 0 in every new engine
 * and handed over once a step: blocks stored by it, then blocks evicted. An idle engine is silent.
 *
 * <p><b>Tokens.</b> Each is a function of the request's seed (0 where it sets none) and of every
 * token before it. Prompts are read once, at arrival, and not kept.
 *
 * <p><b>Lives.</b> One object is one life of a worker process. {@link #crash} ends it without a
 * word; whoever returns is a new engine with an empty cache.
 *
 * <p><b>Threads.</b> {@link #handle} and the methods that say so may be called from anywhere, the
 * rest on the lane.
 */
public final class MockEngine implements RequestHandler<PreprocessedRequest, LLMEngineOutput> {
  private enum State {
    SERVING,
    DRAINING,
    SHUT_DOWN,
    CRASHED
  }

  private final Scheduler lane;
  private final Consumer<Runnable> stepStarter;
  private final MockEngineConfig config;
  private final EngineListener listener;
  private final RequestIntake intake;
  private final CacheEventLog log;
  private final EngineScheduler scheduler;
  private final TokenEmitter emitter;
  private final EngineBatch batch = new EngineBatch();
  private final List<EngineRequest> cancelled = new ArrayList<>();
  private final Runnable startStep = this::startStep;
  private final Runnable endStep = this::endStep;
  private volatile State state = State.SERVING;
  private boolean isStartPending;
  private boolean isBusy;
  private boolean isClearPending;
  private long stepCount;
  private long generatedTokenCount;

  private MockEngine(Builder builder) {
    this.lane = Objects.requireNonNull(builder.lane, "lane");
    this.stepStarter = builder.stepStarter == null ? lane::execute : builder.stepStarter;
    this.config = builder.config;
    this.listener = builder.listener;
    this.intake = new RequestIntake(config);
    this.log = new CacheEventLog(config.dpRank(), builder.eventSink);
    this.scheduler = new EngineScheduler(config, log, listener, lane.clock());
    this.emitter = new TokenEmitter(config);
  }

  public static Builder builder() {
    return new Builder();
  }

  /**
   * Takes a request; from any thread.
   *
   * @throws DynamoException of type {@code BACKEND_INVALID_ARGUMENT} for a request that could never
   *     be served: empty prompt, {@code max_tokens} 0, more than one choice, larger than the cache;
   *     of type {@code ENGINE_SHUTDOWN} while the engine drains or after it shut down
   */
  @Override
  public void handle(
      String requestId, PreprocessedRequest request, ResponseSink<LLMEngineOutput> sink) {
    if (state != State.SERVING) {
      throw shutDown(requestId);
    }
    EngineRequest accepted = intake.accept(requestId, request, sink);
    TokenSlice prompt = request.tokenIds();
    long seed = request.samplingOptions().seed().orElse(0);
    lane.execute(() -> arrive(accepted, prompt, seed));
  }

  /** Refuses new requests from now on and serves the open ones to their end; from any thread. */
  public void drain() {
    if (state == State.SERVING) {
      state = State.DRAINING;
    }
  }

  /** Fails every open request with {@code ENGINE_SHUTDOWN} and refuses new ones. */
  public void shutdown() {
    state = State.SHUT_DOWN;
    for (EngineRequest request : scheduler.removeAll()) {
      end(request, FinishReason.ERROR);
      request.sink.fail(shutDown(request.requestId));
    }
  }

  /** Ends this engine as the death of its process would: no signal, no event; from any thread. */
  public void crash() {
    state = State.CRASHED;
  }

  /** Empties the cache once the current step is over; running requests recompute their context. */
  public void clearCache() {
    isClearPending = true;
    if (!isBusy) {
      clearIfAsked();
      log.flush();
    }
  }

  public MockEngineConfig config() {
    return config;
  }

  /** Returns requests that hold blocks. */
  public int runningCount() {
    return scheduler.runningCount();
  }

  public int waitingCount() {
    return scheduler.waitingCount();
  }

  public long stepCount() {
    return stepCount;
  }

  public long generatedTokenCount() {
    return generatedTokenCount;
  }

  public long preemptionCount() {
    return scheduler.preemptionCount();
  }

  public long storedBlockCount() {
    return log.storedBlockCount();
  }

  public long removedBlockCount() {
    return log.removedBlockCount();
  }

  /** Returns the id that the next event will carry. */
  public long nextEventId() {
    return log.nextEventId();
  }

  /** Copies the sequence hashes of all blocks in cache, used or idle, in no particular order. */
  public long[] cachedBlockHashes() {
    return scheduler.pool().fullBlockHashes();
  }

  /**
   * Checks that free, idle, pinned and private blocks add up to the capacity and that the running
   * requests account for every reference. O(capacity).
   *
   * @throws IllegalStateException if they do not
   */
  public void checkInvariants() {
    scheduler.checkInvariants();
  }

  private void arrive(EngineRequest request, TokenSlice prompt, long seed) {
    if (state == State.CRASHED) {
      return;
    }
    if (state != State.SERVING) {
      request.sink.fail(shutDown(request.requestId));
      return;
    }
    intake.read(request, prompt, seed);
    scheduler.enqueue(request);
    request.sink.onCancel(() -> postCancel(request));
    request.sink.open();
    requestStep();
  }

  private void postCancel(EngineRequest request) {
    try {
      lane.execute(() -> cancel(request));
    } catch (RejectedExecutionException closed) {
      // The worker is going down and takes the request with it: nothing is left to cancel.
    }
  }

  private void cancel(EngineRequest request) {
    if (isBusy) {
      cancelled.add(request);
    } else {
      end(request, FinishReason.CANCELLED);
    }
  }

  private void requestStep() {
    if (!isBusy && !isStartPending) {
      isStartPending = true;
      stepStarter.accept(startStep);
    }
  }

  private void startStep() {
    isStartPending = false;
    if (isBusy || state == State.CRASHED) {
      return;
    }
    scheduler.plan(batch);
    log.flush();
    if (batch.isEmpty()) {
      return;
    }
    isBusy = true;
    stepCount++;
    lane.schedule(endStep, stepNanos());
  }

  private long stepNanos() {
    double millis =
        config
            .stepTime()
            .millis(batch.prefillTokens(), batch.decodeContextTokens(), config.capacityTokens());
    return Math.round(millis / config.speedFactor() * 1e6);
  }

  private void endStep() {
    if (state == State.CRASHED) {
      return;
    }
    isBusy = false;
    for (EngineRequest request : cancelled) {
      end(request, FinishReason.CANCELLED);
    }
    cancelled.clear();
    for (int i = 0; i < batch.size(); i++) {
      EngineRequest request = batch.request(i);
      if (!request.isFinished && scheduler.advance(request, batch.chunk(i))) {
        generate(request);
      }
    }
    scheduler.makeRoom();
    clearIfAsked();
    log.flush();
    if (scheduler.hasWork()) {
      requestStep();
    }
  }

  private void generate(EngineRequest request) {
    FinishReason reason = emitter.emit(request);
    generatedTokenCount++;
    if (request.generatedTokens == 1) {
      listener.firstToken(request.requestId, lane.clock().nanoTime());
    }
    if (request.isAbandoned) {
      end(request, FinishReason.CANCELLED);
      return;
    }
    scheduler.grow(request);
    if (reason != null) {
      end(request, reason);
    }
  }

  private void end(EngineRequest request, FinishReason reason) {
    if (request.isFinished) {
      return;
    }
    request.isFinished = true;
    scheduler.remove(request);
    listener.finished(request.requestId, reason, request.generatedTokens, lane.clock().nanoTime());
  }

  private void clearIfAsked() {
    if (isClearPending) {
      isClearPending = false;
      scheduler.clearCache();
    }
  }

  private static DynamoException shutDown(String requestId) {
    return new DynamoException(
        ErrorType.ENGINE_SHUTDOWN, "engine does not serve: requestId=" + requestId);
  }

  /**
   * Builds a {@link MockEngine}. A lane is required; without further words the engine has the
   * default configuration, starts steps on its lane and tells nobody of its cache.
   */
  public static final class Builder {
    private @Nullable Scheduler lane;
    private @Nullable Consumer<Runnable> stepStarter;
    private MockEngineConfig config = MockEngineConfig.ofDefaults();
    private Consumer<List<KvCacheEvent>> eventSink = events -> {};
    private EngineListener listener = new EngineListener() {};

    private Builder() {}

    /** Sets the lane that owns all of the engine's state. */
    public Builder lane(Scheduler lane) {
      this.lane = Objects.requireNonNull(lane, "lane");
      return this;
    }

    public Builder config(MockEngineConfig config) {
      this.config = Objects.requireNonNull(config, "config");
      return this;
    }

    /**
     * Sets what runs the start of a step: never inline, never while a task of the lane runs, and
     * after everything that arrives at the same instant.
     */
    public Builder stepStarter(Consumer<Runnable> stepStarter) {
      this.stepStarter = Objects.requireNonNull(stepStarter, "stepStarter");
      return this;
    }

    /** Receives the cache's events in batches, in order, on the lane or from the step starter. */
    public Builder eventSink(Consumer<List<KvCacheEvent>> eventSink) {
      this.eventSink = Objects.requireNonNull(eventSink, "eventSink");
      return this;
    }

    public Builder listener(EngineListener listener) {
      this.listener = Objects.requireNonNull(listener, "listener");
      return this;
    }

    public MockEngine build() {
      return new MockEngine(this);
    }
  }
}
