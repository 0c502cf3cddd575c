// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.text;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.Migrator;
import io.dynamo4j.migration.ReplayAdapter;
import io.dynamo4j.testkit.contract.FlowTck;
import io.dynamo4j.testkit.script.ScriptedDispatcher;
import io.dynamo4j.testkit.script.WorkerScript;
import java.util.List;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.reactivestreams.tck.TestEnvironment;
import org.reactivestreams.tck.flow.FlowPublisherVerification;

/** Text streams keep the rules of Reactive Streams. */
class TextStreamTckTest {
  private static RealEnvironment environment;

  @BeforeAll
  static void start() {
    environment = RealEnvironment.create();
  }

  @AfterAll
  static void stop() {
    environment.close();
  }

  @TestFactory
  List<DynamicTest> shouldKeepRulesOfReactiveStreams() {
    return FlowTck.tests(Verification::new, "optional_spec111", "optional_spec105");
  }

  /** Streams of a given number of outputs: tokens, the last with the finish reason. */
  public static final class Verification
      extends FlowPublisherVerification<TextOutput<LLMEngineOutput>> {
    private static final int MAX_ELEMENTS = 5_000;

    public Verification() {
      super(new TestEnvironment(20_000, 50, 10));
    }

    @Override
    public Flow.Publisher<TextOutput<LLMEngineOutput>> createFlowPublisher(long elements) {
      int tokens = (int) Math.min(elements - 1, MAX_ELEMENTS);
      return stream(WorkerScript.open().tokens(tokens).finish(FinishReason.LENGTH).complete());
    }

    @Override
    public Flow.Publisher<TextOutput<LLMEngineOutput>> createFailedFlowPublisher() {
      return stream(WorkerScript.refuse(ErrorType.INVALID_REQUEST));
    }

    private static TextStream<LLMEngineOutput> stream(WorkerScript script) {
      Migrator<PreprocessedRequest, LLMEngineOutput> migrator =
          Migrator.builder()
              .adapter(ReplayAdapter.preprocessed())
              .dispatcher(
                  ScriptedDispatcher.generating((prompt, made) -> 'a' + made.length() % 26)
                      .worker(1, script))
              .environment(environment.environment())
              .build();
      PreprocessedRequest request =
          PreprocessedRequest.builder("r", TokenSlice.of('p'))
              .stopConditions(StopConditions.builder().stop(List.of("never seen")).build())
              .build();
      return TextStream.overTokens(ByteTokens.detokenizers(), environment.environment())
          .over(migrator.migrate(request), request);
    }

    @Override
    public long maxElementsFromPublisher() {
      return Integer.MAX_VALUE; // asked for once, by a subscriber that leaves after ten
    }
  }
}
