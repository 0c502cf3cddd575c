// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Attempt;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What a dispatcher is told of each attempt of one request. Belongs to the request's lane. */
final class AttemptOrder<Q, R> {
  private final ReplayAdapter<Q, R> adapter;
  private final Q request;
  private final String requestId;
  private final AnswerFlow<R> answer;
  private final RecoverySearch search;
  private final Attempts<R> attempts;
  private final Resumption resumption;
  private final HealthReporter health;
  private final Scheduler lane;
  private final long deadlineNanos;

  /**
   * Describes the attempts of a request.
   *
   * @param deadlineNanos of the request by the lane's clock, or {@link Attempt#NO_DEADLINE}
   */
  AttemptOrder(RequestParts<R> parts, ReplayAdapter<Q, R> adapter, Q request, long deadlineNanos) {
    this.adapter = adapter;
    this.request = request;
    this.requestId = parts.profile.requestId();
    this.answer = parts.answer;
    this.search = parts.search;
    this.attempts = parts.attempts;
    this.resumption = parts.resumption;
    this.health = parts.health;
    this.lane = parts.lane;
    this.deadlineNanos = deadlineNanos;
  }

  /** Returns the request for the rest of the answer. */
  Q request() {
    long delivered = answer.delivered();
    return delivered == 0
        ? request
        : Objects.requireNonNull(
            adapter.continuation(request, answer.sequence(), delivered), "continuation");
  }

  Attempt describe(AttemptRun<R> run) {
    return Attempt.builder(requestId, lane)
        .number(run.number())
        .excludedWorkers(excludedFor(run))
        .deadlineNanos(deadlineNanos)
        .listener(run)
        .build();
  }

  /** Returns whether a worker may be asked at all for what is left of the answer. */
  boolean mayAsk(WorkerWithDpRank worker) {
    String capability = answer.neededCapability();
    return capability.isEmpty() || resumption.isDeclaredBy(worker, capability);
  }

  /**
   * Failed workers, those left because they drain, the worker of the other attempt, and those that
   * lack what is needed.
   */
  private Set<WorkerWithDpRank> excludedFor(AttemptRun<R> run) {
    AttemptRun<R> lead = attempts.lead();
    @Nullable WorkerWithDpRank other = lead == run || lead == null ? null : lead.worker();
    String capability = answer.neededCapability();
    if (other == null && capability.isEmpty() && search.left().isEmpty()) {
      return search.excluded();
    }
    Set<WorkerWithDpRank> excluded = new TreeSet<>(search.excluded());
    for (WorkerWithDpRank left : search.left()) {
      if (health.isDraining(left)) {
        excluded.add(left);
      }
    }
    if (other != null) {
      excluded.add(other);
    }
    if (!capability.isEmpty()) {
      resumption.addIncapable(capability, excluded);
    }
    return excluded;
  }
}
