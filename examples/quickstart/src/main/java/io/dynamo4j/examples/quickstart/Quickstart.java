// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.quickstart;

import io.dynamo4j.blocking.BlockingResponses;
import io.dynamo4j.blocking.Gate;
import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.kvrouter.PoolDispatcher;
import io.dynamo4j.kvrouter.PoolPolicy;
import io.dynamo4j.migration.Migrator;
import io.dynamo4j.migration.ReplayAdapter;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import java.util.List;

/** Asks for a sentence that no single worker lives long enough to say. */
public final class Quickstart {
  private static final List<String> SENTENCE = List.of("The ", "stream ", "never ", "breaks.");
  private static final TokenSlice PROMPT = TokenSlice.of(101, 102, 103);

  private Quickstart() {}

  /** Prints the answer and how many workers it took. */
  public static void main(String[] args) {
    try (RealEnvironment threads = RealEnvironment.create()) {
      Environment environment = threads.environment();
      var workers = InMemoryWorkerDirectory.create();
      var plane = InMemoryRequestPlane.<PreprocessedRequest, LLMEngineOutput>create(environment);
      // readme
      var dispatcher =
          PoolDispatcher.builder()
              .policy(PoolPolicy.ROUND_ROBIN)
              .directory(workers)
              .requestPlane(plane)
              .environment(environment)
              .build();
      var migrator =
          Migrator.builder()
              .limit(3)
              .maxSeqLen(8192)
              .adapter(ReplayAdapter.preprocessed())
              .dispatcher(dispatcher)
              .environment(environment)
              .build();

      serve(workers, plane, 1, /* wordsBeforeDeath= */ 2); // dies in the middle of the sentence
      serve(workers, plane, 2, /* wordsBeforeDeath= */ 9);

      var request = PreprocessedRequest.builder("request-1", PROMPT).build();
      var gate = Gate.over(environment);
      try (var answer = BlockingResponses.builder(migrator.migrate(request), gate).open()) {
        answer.forEachRemaining(item -> print(item)); // The stream never breaks.
      }
      // readme end
      migrator.close();
      plane.close();
    }
  }

  private static void print(LLMEngineOutput item) {
    if (item.text() != null) {
      System.out.print(item.text());
    }
  }

  /** Starts a worker whose next word follows from the length of its context, as a model's would. */
  private static void serve(
      InMemoryWorkerDirectory workers,
      InMemoryRequestPlane<PreprocessedRequest, LLMEngineOutput> plane,
      long workerId,
      int wordsBeforeDeath) {
    WorkerInstance worker =
        WorkerInstance.builder(workerId, InMemoryRequestPlane.address("worker-" + workerId))
            .build();
    plane.serve(
        worker,
        (requestId, request, answer) -> {
          int spoken = request.tokenIds().length() - PROMPT.length();
          for (int word = spoken; word < SENTENCE.size(); word++) {
            if (word - spoken == wordsBeforeDeath) {
              workers.unregister(workerId);
              answer.fail(new DynamoException(ErrorType.DISCONNECTED, "worker died"));
              return;
            }
            answer.next(LLMEngineOutput.of(TokenSlice.of(word)).withText(SENTENCE.get(word)));
          }
          answer.next(LLMEngineOutput.last(TokenSlice.empty(), FinishReason.STOP));
          answer.complete();
        });
    workers.register(worker);
  }
}
