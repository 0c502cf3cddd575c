// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.RoutingConstraints;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.WorkerInstance;
import java.util.Comparator;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Chooses a prefill and a decode worker for one request: two routers, each over its own pool with
 * its own books.
 *
 * <p>The prefill worker is chosen by what it holds of the prompt and has to compute, the decode
 * worker by the blocks it carries; what that one holds of the prompt counts too if the decode
 * router has an index. Dynamo drops the decode side's credit unless conditional disaggregation is
 * on; here the decode router's own credit says so. As in Dynamo the decode booking has no prompt
 * tokens to compute and shares no blocks.
 *
 * <p>A prefill pool in which nobody may take the request leaves the prompt to the decode worker, as
 * in a fleet that is not disaggregated, unless the request names its prefill worker; so does {@link
 * PrefillBypass}. {@link DisaggregatedLease#route} tells. A decode pool in which nobody may take
 * the request fails it, and nothing stays booked.
 *
 * <p>Both routers stay the caller's. {@link #prefillConfig} gives what Dynamo configures the
 * prefill side with.
 *
 * <p><b>Threads.</b> Any. {@link #trySelect} waits for nobody but other decisions.
 */
public final class DisaggregatedRouter {
  private final KvRouter prefill;
  private final KvRouter decode;
  private final PrefillBypass bypass;
  private final TransferDomain domain;

  /** Who waits, and whether it was given up. */
  private final ConcurrentMap<BookingKey, AtomicBoolean> waiting =
      new ConcurrentSkipListMap<>(
          Comparator.comparing(BookingKey::requestId).thenComparingInt(BookingKey::attempt));

  private DisaggregatedRouter(Builder builder, KvRouter prefill, KvRouter decode) {
    this.prefill = prefill;
    this.decode = decode;
    this.bypass = builder.bypass == null ? decode.config().prefillBypass() : builder.bypass;
    this.domain = builder.domain;
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Returns a configuration as a prefill router needs it: prefill work counts, blocks do not. */
  public static KvRouterConfig prefillConfig(KvRouterConfig config) {
    return config.toBuilder().routerTrackOutputBlocks(false).routerTrackActiveBlocks(false).build();
  }

  /**
   * Returns what a request asks of the decode pool as it concerns the prefill pool: without pins
   * and session, which name decode workers.
   */
  public static RoutingHints prefillRouting(RoutingHints routing) {
    if (!routing.isPinned()
        && routing.preferredWorker() == null
        && routing.requiredDpRank() == RoutingHints.ANY_DP_RANK) {
      return routing;
    }
    RoutingHints.Builder builder =
        RoutingHints.builder()
            .loraName(routing.loraName())
            .cacheNamespace(routing.cacheNamespace())
            .expectedOutputTokens(routing.expectedOutputTokens())
            .constraints(routing.constraints())
            .priorityJumpSeconds(routing.priorityJumpSeconds())
            .strictPriority(routing.strictPriority())
            .policyClass(routing.policyClass());
    long[] allowed = routing.allowedWorkerIds();
    return (allowed == null ? builder : builder.allowedWorkerIds(allowed)).build();
  }

  /** As {@link #trySelect(SchedulingRequest, RoutingHints)}, without wishes of the prefill pool. */
  public DisaggregatedLease trySelect(SchedulingRequest request) {
    return trySelect(request, prefillRouting(request.routing()));
  }

  /**
   * Chooses both workers and books the request on each.
   *
   * @param request as for the decode pool
   * @param prefillRouting the caller's wishes of the prefill pool; a pin there is not given up
   * @throws NoEligibleWorkerException if no decode worker may take the request, or not the prefill
   *     worker that it names
   * @throws io.dynamo4j.core.model.DynamoException of type {@code DUPLICATE_REQUEST} if the same
   *     attempt is booked
   */
  public DisaggregatedLease trySelect(SchedulingRequest request, RoutingHints prefillRouting) {
    SchedulingRequest first = prefillRequest(request, prefillRouting);
    if (isBypassed(request, first)) {
      return new DisaggregatedLease(null, decode.trySelect(request), PrefillRoute.BYPASSED);
    }
    RequestLease computed;
    try {
      computed = prefill.trySelect(first);
    } catch (NoEligibleWorkerException nobody) {
      PrefillRoute route = withoutPrefill(nobody, prefillRouting);
      return new DisaggregatedLease(null, decode.trySelect(request), route);
    }
    try {
      return remote(computed, decode.trySelect(decodeRequest(request, computed.instance())));
    } catch (Throwable failure) {
      computed.close();
      throw failure;
    }
  }

  /**
   * As {@link #trySelect(SchedulingRequest, RoutingHints)}, but waits where a router has a queue,
   * for the prefill worker first. A prefill queue that refuses the request leaves the prompt to the
   * decode worker.
   *
   * @return completes on the lane of a queue, or at once where there is none
   */
  public CompletionStage<DisaggregatedLease> select(
      SchedulingRequest request, RoutingHints prefillRouting) {
    AtomicBoolean givenUp = new AtomicBoolean();
    waiting.put(request.key(), givenUp);
    CompletionStage<DisaggregatedLease> chosen;
    try {
      SchedulingRequest first = prefillRequest(request, prefillRouting);
      chosen =
          isBypassed(request, first)
              ? aggregated(request, PrefillRoute.BYPASSED, givenUp)
              : prefill
                  .select(first)
                  .handle(
                      (computed, failure) ->
                          failure == null
                              ? thenDecode(request, computed, givenUp)
                              : aggregated(
                                  request,
                                  withoutPrefill(StageFailures.cause(failure), prefillRouting),
                                  givenUp))
                  .thenCompose(stage -> stage);
    } catch (RuntimeException failure) {
      chosen = CompletableFuture.failedFuture(failure);
    }
    return chosen.whenComplete((lease, failure) -> waiting.remove(request.key(), givenUp));
  }

  private CompletionStage<DisaggregatedLease> aggregated(
      SchedulingRequest request, PrefillRoute route, AtomicBoolean givenUp) {
    return selectDecode(request, givenUp)
        .thenApply(lease -> new DisaggregatedLease(null, lease, route));
  }

  /** Waits for a decode worker, unless the request was given up while it waited for another. */
  private CompletionStage<RequestLease> selectDecode(
      SchedulingRequest request, AtomicBoolean givenUp) {
    CompletionStage<RequestLease> stage = decode.select(request);
    if (givenUp.get()) {
      decode.cancel(request.key());
    }
    return stage;
  }

  private CompletionStage<DisaggregatedLease> thenDecode(
      SchedulingRequest request, RequestLease computed, AtomicBoolean givenUp) {
    CompletionStage<RequestLease> decoded;
    try {
      decoded = selectDecode(decodeRequest(request, computed.instance()), givenUp);
    } catch (Throwable failure) {
      computed.close();
      throw failure;
    }
    return decoded
        .whenComplete(
            (lease, failure) -> {
              if (failure != null) {
                computed.close();
              }
            })
        .thenApply(lease -> remote(computed, lease));
  }

  /** Gives up a request that waits for {@link #select}; does nothing if it does not wait. */
  public void cancel(BookingKey key) {
    AtomicBoolean givenUp = waiting.get(key);
    if (givenUp == null) {
      return;
    }
    givenUp.set(true);
    prefill.cancel(key);
    decode.cancel(key);
  }

  /** Returns whether {@link #select} may wait. */
  boolean queues() {
    return prefill.queues() || decode.queues();
  }

  private static DisaggregatedLease remote(RequestLease computed, RequestLease decoded) {
    return new DisaggregatedLease(computed, decoded, PrefillRoute.REMOTE);
  }

  /* --------------- What each side is asked for --------------- */

  private static SchedulingRequest prefillRequest(
      SchedulingRequest request, RoutingHints prefillRouting) {
    return request.toBuilder().routing(prefillRouting).build();
  }

  private SchedulingRequest decodeRequest(
      SchedulingRequest request, @Nullable WorkerInstance prefillWorker) {
    RoutingConstraints constraints = request.routing().constraints();
    RoutingConstraints merged =
        prefillWorker == null ? constraints : domain.mergedInto(constraints, prefillWorker);
    return request.toBuilder()
        .configOverride(request.configOverride().forDecode())
        .routing(
            merged.equals(constraints)
                ? request.routing()
                : request.routing().toBuilder().constraints(merged).build())
        .build();
  }

  /* --------------- The way without a prefill worker --------------- */

  /**
   * Says how a request goes on whose prefill worker cannot be had.
   *
   * @throws CompletionException with the failure if it does not go on; the failure itself if it is
   *     unchecked
   */
  private static PrefillRoute withoutPrefill(Throwable failure, RoutingHints prefillRouting) {
    boolean isRejected = failure instanceof QueueRejectedException;
    if (!prefillRouting.isPinned()
        && (isRejected || failure instanceof NoEligibleWorkerException)) {
      return isRejected
              || ((NoEligibleWorkerException) failure).errorType() == ErrorType.CAPACITY_EXHAUSTED
          ? PrefillRoute.PREFILL_OVERLOADED
          : PrefillRoute.NO_PREFILL_WORKER;
    }
    if (failure instanceof RuntimeException unchecked) {
      throw unchecked;
    }
    throw new CompletionException(failure);
  }

  /** Asks the rule, with what a choice of now would find; costs a lookup on each side it asks. */
  private boolean isBypassed(SchedulingRequest request, SchedulingRequest prefillRequest) {
    if (!bypass.applies()) {
      return false;
    }
    WorkerSelectionResult there = decode.query(decodeRequest(request, null));
    return bypass.bypasses(
        request.tokenIds().length(),
        there.cachedTokens(),
        bypass.asksPrefillLoad() && isPrefillBusy(prefillRequest),
        bypass.isDecodeBusy(
            there.potentialDecodeBlocks(), decode.instance(there.worker()).totalKvBlocks()));
  }

  /** Where nobody is there to ask, nothing is known, and the way over the pool finds out. */
  private boolean isPrefillBusy(SchedulingRequest prefillRequest) {
    try {
      WorkerWithDpRank worker = prefill.query(prefillRequest).worker();
      return bypass.isPrefillBusy(
          prefill.load(worker).prefillTokens(), prefill.instance(worker).maxBatchedTokens());
    } catch (NoEligibleWorkerException nobody) {
      return false;
    }
  }

  /** Builds a {@link DisaggregatedRouter}; both routers are required. */
  public static final class Builder {
    private @Nullable KvRouter prefill;
    private @Nullable KvRouter decode;
    private @Nullable PrefillBypass bypass;
    private TransferDomain domain = TransferDomain.NONE;

    private Builder() {}

    /** Sets who chooses among prefill workers; see {@link #prefillConfig}. */
    public Builder prefill(KvRouter router) {
      this.prefill = Objects.requireNonNull(router, "router");
      return this;
    }

    /** Sets who chooses among decode workers. */
    public Builder decode(KvRouter router) {
      this.decode = Objects.requireNonNull(router, "router");
      return this;
    }

    /**
     * Sets which prompts the decode worker computes itself; by default those of the decode router's
     * {@link KvRouterConfig#prefillBypass}.
     */
    public Builder bypass(PrefillBypass bypass) {
      this.bypass = Objects.requireNonNull(bypass, "bypass");
      return this;
    }

    /**
     * Lets only decode workers take over that share the prefill worker's value of a topology
     * domain, such as {@code rack}: its taint {@code dynamo.topology/rack=…}. A prefill worker
     * without one takes any.
     */
    public Builder requireSameDomain(String domain) {
      this.domain = TransferDomain.required(domain);
      return this;
    }

    /**
     * As {@link #requireSameDomain}, as a preference.
     *
     * @param weight of the taint, in 0..1
     * @throws IllegalArgumentException if out of range
     */
    public Builder preferSameDomain(String domain, double weight) {
      this.domain = TransferDomain.preferred(domain, weight);
      return this;
    }

    /**
     * Returns the router.
     *
     * @throws IllegalStateException if one of the two is missing
     * @throws IllegalArgumentException if both are the same: a pool has its own books
     */
    public DisaggregatedRouter build() {
      if (prefill == null || decode == null) {
        throw new IllegalStateException(
            "disaggregated router needs two routers: prefill="
                + (prefill == null ? "missing" : "set")
                + ", decode="
                + (decode == null ? "missing" : "set"));
      }
      if (prefill.equals(decode)) {
        throw new IllegalArgumentException("pools need routers of their own: prefill=decode");
      }
      return new DisaggregatedRouter(this, prefill, decode);
    }
  }
}
