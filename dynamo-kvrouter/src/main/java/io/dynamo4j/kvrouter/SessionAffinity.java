// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.AttemptListener;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.ResponseStream;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the requests of a session on one worker, as long as that worker may have them.
 *
 * <p>A binding is a preference and never a pin: where its worker failed this request, failed just
 * now, drains or is gone, the dispatcher below chooses freely, and the session is bound to whom it
 * chooses. A request that migrates takes its session along. Pins and allow-lists of the request
 * itself go first.
 *
 * <p>Bindings end when unused for the idle time; beyond the capacity the one unused longest goes.
 *
 * <p><b>Threads.</b> Any.
 */
public final class SessionAffinity
    implements RequestDispatcher<PreprocessedRequest, LLMEngineOutput> {
  private final RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher;
  private final Function<PreprocessedRequest, String> session;
  private final SessionBindings bindings;

  private SessionAffinity(Builder builder, NanoClock clock) {
    this.dispatcher = builder.dispatcher;
    this.session = builder.session;
    this.bindings = new SessionBindings(clock, builder.idleNanos, builder.capacity);
  }

  /** Starts an affinity over a dispatcher that honours {@link RoutingHints#preferredWorker}. */
  public static Builder over(RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher) {
    return new Builder(dispatcher);
  }

  @Override
  public ResponseStream<LLMEngineOutput> dispatch(PreprocessedRequest request, Attempt attempt) {
    String id = session.apply(request);
    return id.isEmpty()
        ? dispatcher.dispatch(request, attempt)
        : dispatcher.dispatch(bound(request, id), rebinding(attempt, id));
  }

  /** Returns the number of sessions that are bound. */
  public int bindingCount() {
    return bindings.size();
  }

  private PreprocessedRequest bound(PreprocessedRequest request, String id) {
    RoutingHints hints = request.routing();
    WorkerWithDpRank worker = bindings.use(id);
    if (worker == null || hints.isPinned() || hints.allowedWorkerIds() != null) {
      return request;
    }
    return request.toBuilder().routing(hints.toBuilder().preferredWorker(worker).build()).build();
  }

  /** Binds the session to the worker that is chosen. */
  private Attempt rebinding(Attempt attempt, String id) {
    return Attempt.builder(attempt.requestId(), attempt.lane())
        .number(attempt.number())
        .excludedWorkers(attempt.excludedWorkers())
        .deadlineNanos(attempt.deadlineNanos())
        .listener(
            new AttemptListener() {
              @Override
              public void workerChosen(WorkerWithDpRank worker) {
                bindings.bind(id, worker);
                attempt.workerChosen(worker);
              }

              @Override
              public void requestAcknowledged() {
                attempt.requestAcknowledged();
              }

              @Override
              public void streamOpened() {
                attempt.streamOpened();
              }
            })
        .build();
  }

  /** Builds a {@link SessionAffinity}; the clock is required. */
  public static final class Builder {
    private static final long MAX_IDLE_NANOS = 31_536_000L * 1_000_000_000L;

    private final RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher;
    private Function<PreprocessedRequest, String> session = SessionAffinity::named;
    private long idleNanos = 60_000_000_000L;
    private int capacity = 65_536;
    private @Nullable NanoClock clock;

    private Builder(RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher) {
      this.dispatcher = Objects.requireNonNull(dispatcher, "dispatcher");
    }

    /**
     * Sets which session a request belongs to, empty for none; by default the {@code session_id} of
     * the request's {@code agent_context}.
     */
    public Builder session(Function<PreprocessedRequest, String> session) {
      this.session = Objects.requireNonNull(session, "session");
      return this;
    }

    /**
     * Sets how long a binding lasts that nobody uses; default 60 s.
     *
     * @throws IllegalArgumentException outside 1 ns … 365 days
     */
    public Builder idleNanos(long nanos) {
      if (nanos < 1 || nanos > MAX_IDLE_NANOS) {
        throw new IllegalArgumentException("idle time must be in 1 ns..365 d: nanos=" + nanos);
      }
      this.idleNanos = nanos;
      return this;
    }

    /**
     * Bounds the bindings; default 65,536.
     *
     * @throws IllegalArgumentException if not positive
     */
    public Builder capacity(int sessions) {
      if (sessions < 1) {
        throw new IllegalArgumentException("capacity must be positive: sessions=" + sessions);
      }
      this.capacity = sessions;
      return this;
    }

    /** Sets what idle time is counted by. */
    public Builder clock(NanoClock clock) {
      this.clock = Objects.requireNonNull(clock, "clock");
      return this;
    }

    /**
     * Returns the dispatcher.
     *
     * @throws IllegalStateException if the clock is missing
     */
    public SessionAffinity build() {
      if (clock == null) {
        throw new IllegalStateException("affinity needs a clock: clock=missing");
      }
      return new SessionAffinity(this, clock);
    }
  }

  private static String named(PreprocessedRequest request) {
    return request.extensions().get("agent_context") instanceof Map<?, ?> context
            && context.get("session_id") instanceof String id
        ? id
        : "";
  }
}
