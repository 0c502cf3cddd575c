// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.service;

import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.kvrouter.SessionAffinity;
import io.dynamo4j.plane.Attempt;
import org.jspecify.annotations.Nullable;

/** The session affinity under test, over a dispatcher that only notes what it is asked for. */
final class SelectionSessions {
  private final Scheduler lane;
  private final SessionAffinity affinity;
  private String session = "";
  private RoutingHints routing = RoutingHints.none();
  private @Nullable Attempt attempt;

  SelectionSessions(Scheduler lane) {
    this.lane = lane;
    this.affinity =
        SessionAffinity.over(
                (request, given) -> {
                  routing = request.routing();
                  attempt = given;
                  return subscriber -> {};
                })
            .session(request -> session)
            .clock(lane.clock())
            .build();
  }

  /** Returns the wishes of a request with those of its session. */
  RoutingHints routing(String sessionId, RoutingHints own) {
    session = sessionId;
    affinity.dispatch(
        PreprocessedRequest.builder("session", TokenSlice.of(0)).routing(own).build(),
        Attempt.builder("session", lane).build());
    return routing;
  }

  /** Says where the request that was asked for last went. */
  void went(WorkerWithDpRank worker) {
    Attempt asked = attempt;
    if (asked != null) {
      asked.workerChosen(worker);
    }
  }
}
