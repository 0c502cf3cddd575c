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
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the requests of a session on one worker, as long as that worker may have them.
 *
 * <p>A binding is a preference and never a pin: where its worker failed this request, failed just
 * now, drains or is gone, the dispatcher below chooses freely, and the session is bound to whom it
 * chooses. A request that migrates takes its session along. Pins and allow-lists of the request
 * itself go first, and a pinned request binds nothing.
 *
 * <p>Bindings end when unused for the idle time; beyond the capacity the one unused longest goes.
 * An id of more than 256 bytes binds nothing, as with Dynamo.
 *
 * <p><b>Threads.</b> Any.
 */
public final class SessionAffinity
    implements RequestDispatcher<PreprocessedRequest, LLMEngineOutput> {
  private static final int MAX_ID_BYTES = 256;
  private static final int MAX_BYTES_PER_CHAR = 3;
  private static final String TTL = "DYN_ROUTER_SESSION_AFFINITY_TTL_SECS";
  private static final String MODE = "DYN_ROUTER_SESSION_AFFINITY_MODE";
  private static final long MAX_TTL_SECONDS = 31_536_000;

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

  /**
   * Starts an affinity as Dynamo's variables ask for it: with the idle time of {@code
   * DYN_ROUTER_SESSION_AFFINITY_TTL_SECS}, nothing where that is not set. Text that is no number of
   * seconds counts as absent.
   *
   * <p>Of {@code DYN_ROUTER_SESSION_AFFINITY_MODE} there is {@code hard}, Dynamo's default, with
   * the difference that a binding whose worker may not have the request gives way.
   *
   * @throws IllegalArgumentException if the time is not in 1 to 31,536,000 seconds, or the mode is
   *     {@code soft}, which is not supported, or none
   */
  public static Optional<Builder> fromEnvironment(
      RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher,
      Map<String, String> environment) {
    requireHard(environment.getOrDefault(MODE, "").strip().toLowerCase(Locale.ROOT));
    return idleNanos(environment).map(nanos -> over(dispatcher).idleNanos(nanos));
  }

  private static void requireHard(String mode) {
    if (mode.equals("soft")) {
      throw new IllegalArgumentException(
          "session_affinity_mode is not supported by this library: " + MODE + "=" + mode);
    }
    if (!mode.isEmpty() && !mode.equals("hard")) {
      throw new IllegalArgumentException(
          "session_affinity_mode must be hard or soft: " + MODE + "=" + mode);
    }
  }

  private static Optional<Long> idleNanos(Map<String, String> environment) {
    List<Long> nanos = new ArrayList<>(1);
    KvRouterEnvironment.number(
        environment,
        TTL,
        seconds -> {
          if (seconds == Math.rint(seconds)) {
            nanos.add(idleNanos(seconds));
          }
        });
    return nanos.stream().findFirst();
  }

  private static long idleNanos(double seconds) {
    if (seconds < 1 || seconds > MAX_TTL_SECONDS) {
      throw new IllegalArgumentException(
          "session_affinity_ttl_secs must be between 1 and 31536000: " + TTL + "=" + seconds);
    }
    return Math.round(seconds) * 1_000_000_000L;
  }

  @Override
  public ResponseStream<LLMEngineOutput> dispatch(PreprocessedRequest request, Attempt attempt) {
    String id = session.apply(request);
    return !binds(id) || request.routing().isPinned()
        ? dispatcher.dispatch(request, attempt)
        : dispatcher.dispatch(bound(request, id), rebinding(attempt, id));
  }

  /** Returns the number of sessions that are bound. */
  public int bindingCount() {
    return bindings.size();
  }

  /** Counts bytes only where there could be too many. */
  private static boolean binds(String id) {
    return !id.isEmpty()
        && (id.length() <= MAX_ID_BYTES / MAX_BYTES_PER_CHAR
            || id.getBytes(StandardCharsets.UTF_8).length <= MAX_ID_BYTES);
  }

  private PreprocessedRequest bound(PreprocessedRequest request, String id) {
    RoutingHints hints = request.routing();
    WorkerWithDpRank worker = bindings.use(id);
    if (worker == null || hints.allowedWorkerIds() != null) {
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
    private static final long MAX_IDLE_NANOS = MAX_TTL_SECONDS * 1_000_000_000L;

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
