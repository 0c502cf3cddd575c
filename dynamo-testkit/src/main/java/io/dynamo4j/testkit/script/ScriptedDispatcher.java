// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.script;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.ResponseStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A dispatcher whose workers follow scripts.
 *
 * <p>Workers are tried in the order in which they were added, those that the attempt excludes left
 * out; with none left the stream fails with {@code UNAVAILABLE}. A worker plays its scripts one
 * after the other, the last one again and again.
 *
 * <p><b>Threads.</b> Streams play on their attempt's lane; {@link #dispatches} and the recorded
 * counts are for tests in which that is the calling thread.
 */
public final class ScriptedDispatcher
    implements RequestDispatcher<PreprocessedRequest, LLMEngineOutput> {
  private final TokenSource tokens;
  private final Map<WorkerWithDpRank, List<WorkerScript>> workers = new LinkedHashMap<>();
  private final Map<WorkerWithDpRank, Integer> played = new LinkedHashMap<>();
  private final List<ScriptedDispatch> dispatches = new ArrayList<>();

  private ScriptedDispatcher(TokenSource tokens) {
    this.tokens = tokens;
  }

  /** Returns a dispatcher without workers. */
  public static ScriptedDispatcher generating(TokenSource tokens) {
    return new ScriptedDispatcher(Objects.requireNonNull(tokens, "tokens"));
  }

  /** Returns a dispatcher without workers whose tokens are a function of their context. */
  public static ScriptedDispatcher create() {
    return generating(TokenSource.ofContext());
  }

  /** Adds a worker. */
  public ScriptedDispatcher worker(long workerId, WorkerScript... scripts) {
    if (scripts.length == 0) {
      throw new IllegalArgumentException("worker needs a script: workerId=" + workerId);
    }
    workers.put(WorkerWithDpRank.of(workerId), List.of(scripts));
    return this;
  }

  /** Returns every attempt that reached a worker, in order. */
  public List<ScriptedDispatch> dispatches() {
    return Collections.unmodifiableList(dispatches);
  }

  @Override
  public ResponseStream<LLMEngineOutput> dispatch(PreprocessedRequest request, Attempt attempt) {
    return subscriber -> {
      for (Map.Entry<WorkerWithDpRank, List<WorkerScript>> worker : workers.entrySet()) {
        if (!attempt.excludedWorkers().contains(worker.getKey())) {
          ScriptedDispatch dispatch = new ScriptedDispatch(request, attempt, worker.getKey());
          dispatches.add(dispatch);
          attempt.workerChosen(worker.getKey());
          ScriptedStream.play(dispatch, nextScript(worker), tokens, subscriber);
          return;
        }
      }
      DynamoException none = new DynamoException(ErrorType.UNAVAILABLE, "no worker left to try");
      ScriptedStream.play(
          new ScriptedDispatch(request, attempt, WorkerWithDpRank.of(0)),
          WorkerScript.start().fail(none),
          tokens,
          subscriber);
    };
  }

  private WorkerScript nextScript(Map.Entry<WorkerWithDpRank, List<WorkerScript>> worker) {
    int index = played.merge(worker.getKey(), 1, Integer::sum) - 1;
    List<WorkerScript> scripts = worker.getValue();
    return scripts.get(Math.min(index, scripts.size() - 1));
  }
}
