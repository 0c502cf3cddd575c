// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.migration;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.Migrator;
import io.dynamo4j.migration.MigratorBuilder;
import io.dynamo4j.migration.ReplayAdapter;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.ResponseStream;
import java.time.Duration;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A stream of 1,024 tokens from an in-memory worker, one item a token and one turn of the lane an
 * item, as frames come from a network: through the migrator, and through an operator that passes
 * every signal on. Figures are of one token, its making by the worker included.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class StreamBenchmark {
  /** Tokens of one stream. */
  static final int TOKENS = 1_024;

  private static final int WINDOW = 16;

  /** How the client asks and what the migrator watches. */
  @Param({"unbounded", "window", "stall"})
  public String shape = "unbounded";

  private final PreprocessedRequest request =
      PreprocessedRequest.builder("r1", TokenSlice.wrap(new int[256])).model("m").build();
  private @Nullable Pipeline pipeline;
  private @Nullable Migrator<PreprocessedRequest, LLMEngineOutput> migrator;
  private @Nullable ResponseSink<LLMEngineOutput> sink;

  @Setup
  public void prepare() {
    Pipeline made = new Pipeline((requestId, asked, answer) -> sink = answer);
    MigratorBuilder builder = Migrator.builder().limit(3).maxSeqLen(8_192);
    if (shape.equals("stall")) {
      builder.stallTimeout(Duration.ofSeconds(10));
    }
    pipeline = made;
    migrator =
        builder
            .adapter(ReplayAdapter.preprocessed())
            .dispatcher(made.dispatcher())
            .environment(made.environment())
            .build();
  }

  @TearDown
  public void close() {
    if (migrator != null && pipeline != null) {
      migrator.close();
      pipeline.close();
    }
  }

  /** Serves one stream through the migrator. */
  @Benchmark
  @OperationsPerInvocation(TOKENS)
  public long ours() {
    return serve(made(migrator).migrate(request));
  }

  /** Serves the same stream through an operator that passes everything on. */
  @Benchmark
  @OperationsPerInvocation(TOKENS)
  public long reference() {
    Pipeline through = made(pipeline);
    Attempt attempt = Attempt.builder("r1", through.environment().lanes().lane("attempt")).build();
    ResponseStream<LLMEngineOutput> stream = through.dispatcher().dispatch(request, attempt);
    return serve(client -> stream.subscribe(new PassThrough(client)));
  }

  private long serve(ResponseStream<LLMEngineOutput> stream) {
    Pipeline through = made(pipeline);
    SummingClient client = new SummingClient(shape.equals("window") ? WINDOW : Long.MAX_VALUE);
    stream.subscribe(client);
    through.pump();
    ResponseSink<LLMEngineOutput> worker = made(sink);
    for (int i = 1; i < TOKENS; i++) {
      worker.next(LLMEngineOutput.of(TokenSlice.of(i)));
      through.pump();
    }
    worker.next(LLMEngineOutput.last(TokenSlice.of(TOKENS), FinishReason.STOP));
    worker.complete();
    through.pump();
    return client.completedSum();
  }

  private static <T> T made(@Nullable T part) {
    if (part == null) {
      throw new IllegalStateException("benchmark was not prepared");
    }
    return part;
  }

  /** Passes every signal on. */
  private record PassThrough(Flow.Subscriber<? super LLMEngineOutput> client)
      implements Flow.Subscriber<LLMEngineOutput> {
    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      client.onSubscribe(subscription);
    }

    @Override
    public void onNext(LLMEngineOutput item) {
      client.onNext(item);
    }

    @Override
    public void onError(Throwable failure) {
      client.onError(failure);
    }

    @Override
    public void onComplete() {
      client.onComplete();
    }
  }
}
