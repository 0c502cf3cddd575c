// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.AttemptListener;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerHealth;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Keeps a session's requests on one worker, as long as that worker may have them: a binding whose
 * worker failed the request, failed just now or is gone gives way to the worker chosen next.
 */
final class Sessions implements RequestDispatcher<PreprocessedRequest, LLMEngineOutput> {
  private final RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher;
  private final WorkerDirectory directory;
  private final WorkerHealth health;
  private final Map<String, String> sessions = new LinkedHashMap<>();
  private final Map<String, WorkerWithDpRank> bindings = new LinkedHashMap<>();

  Sessions(
      RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher,
      WorkerDirectory directory,
      WorkerHealth health) {
    this.dispatcher = dispatcher;
    this.directory = directory;
    this.health = health;
  }

  void join(String requestId, String session) {
    sessions.put(requestId, session);
  }

  @Override
  public ResponseStream<LLMEngineOutput> dispatch(PreprocessedRequest request, Attempt attempt) {
    String session = sessions.get(attempt.requestId());
    if (session == null) {
      return dispatcher.dispatch(request, attempt);
    }
    return dispatcher.dispatch(bound(request, session, attempt), rebinding(attempt, session));
  }

  private PreprocessedRequest bound(PreprocessedRequest request, String session, Attempt attempt) {
    WorkerWithDpRank worker = bindings.get(session);
    if (worker == null || request.routing().pinnedWorker() != null) {
      return request;
    }
    boolean usable =
        !attempt.excludedWorkers().contains(worker)
            && health.state(worker).isUsable()
            && directory.instances().stream()
                .anyMatch(each -> each.workerId() == worker.workerId());
    return usable
        ? request.toBuilder()
            .routing(RoutingHints.builder().allowedWorkerIds(worker.workerId()).build())
            .build()
        : request;
  }

  private Attempt rebinding(Attempt attempt, String session) {
    return Attempt.builder(attempt.requestId(), attempt.lane())
        .number(attempt.number())
        .excludedWorkers(attempt.excludedWorkers())
        .deadlineNanos(attempt.deadlineNanos())
        .listener(
            new AttemptListener() {
              @Override
              public void workerChosen(WorkerWithDpRank worker) {
                bindings.put(session, worker);
                attempt.workerChosen(worker);
              }

              @Override
              public void streamOpened() {
                attempt.streamOpened();
              }
            })
        .build();
  }
}
