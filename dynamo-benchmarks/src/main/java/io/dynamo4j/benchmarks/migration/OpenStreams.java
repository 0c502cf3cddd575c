// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.migration;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.Migrator;
import io.dynamo4j.migration.ReplayAdapter;
import io.dynamo4j.plane.ResponseSink;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * Opens streams, delivers the beginning of each, and prints the live heap in bytes; then breaks all
 * of them and checks that each goes on with its whole context. A process of its own, started with
 * the heap that it must do with.
 */
public final class OpenStreams {
  static final int PROMPT_TOKENS = 256;
  static final int DELIVERED_TOKENS = 128;

  private final List<ResponseSink<LLMEngineOutput>> answers = new ArrayList<>();
  private final List<SummingClient> clients = new ArrayList<>();
  private final Pipeline pipeline = new Pipeline(this::serve);
  private final Migrator<PreprocessedRequest, LLMEngineOutput> migrator =
      Migrator.builder()
          .limit(3)
          .maxSeqLen(8_192)
          .adapter(ReplayAdapter.preprocessed())
          .dispatcher(pipeline.dispatcher())
          .environment(pipeline.environment())
          .build();
  private int continued;

  private OpenStreams() {}

  /** Takes the number of streams. */
  public static void main(String[] args) {
    System.out.println(new OpenStreams().run(Integer.parseInt(args[0])));
  }

  private long run(int streams) {
    for (int i = 0; i < streams; i++) {
      open(i);
    }
    for (int token = 0; token < DELIVERED_TOKENS; token++) {
      deliver(token);
    }
    long bytes = liveBytes();
    breakAll();
    for (SummingClient client : clients) {
      if (client.items() != DELIVERED_TOKENS + 1) {
        throw new IllegalStateException("stream lost tokens: items=" + client.items());
      }
      client.completedSum();
    }
    if (continued != streams) {
      throw new IllegalStateException("streams did not all go on: continued=" + continued);
    }
    migrator.close();
    pipeline.close();
    return bytes;
  }

  private void open(int number) {
    PreprocessedRequest request =
        PreprocessedRequest.builder("request-" + number, TokenSlice.wrap(new int[PROMPT_TOKENS]))
            .model("m")
            .build();
    SummingClient client = new SummingClient(Long.MAX_VALUE);
    clients.add(client);
    migrator.migrate(request).subscribe(client);
    pipeline.pump();
  }

  private void serve(
      String requestId, PreprocessedRequest request, ResponseSink<LLMEngineOutput> answer) {
    if (request.tokenIds().length() == PROMPT_TOKENS) {
      answers.add(answer);
    } else if (request.tokenIds().length() == PROMPT_TOKENS + DELIVERED_TOKENS) {
      continued++;
      answer.next(LLMEngineOutput.last(TokenSlice.of(1), FinishReason.STOP));
      answer.complete();
    }
  }

  private void deliver(int token) {
    for (ResponseSink<LLMEngineOutput> answer : answers) {
      answer.next(LLMEngineOutput.of(TokenSlice.of(token)));
      pipeline.pump();
    }
  }

  private void breakAll() {
    for (ResponseSink<LLMEngineOutput> answer : answers) {
      answer.fail(new DynamoException(ErrorType.DISCONNECTED, "broken by the benchmark"));
      pipeline.pump();
    }
  }

  private static long liveBytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
