// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.tcp;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.transport.tcp.PayloadCodec;
import io.dynamo4j.transport.tcp.TcpRequestPlane;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;

/** Streams of one-token items through the plane: worker, sockets, codec, client. */
final class PlaneStreams implements AutoCloseable {
  /** Items that a worker hands over in one turn of its lane, as an engine's step does for one. */
  static final int BURST = 8;

  private final RealEnvironment threads = RealEnvironment.create();
  private final TcpRequestPlane<PreprocessedRequest, LLMEngineOutput> plane =
      TcpRequestPlane.builder(PayloadCodec.generate(), threads.environment()).build();
  private final WorkerInstance worker =
      WorkerInstance.builder(1, plane.address("1/bench/worker/generate")).build();
  private final Scheduler lane = threads.lane("worker");

  PlaneStreams() {
    plane.serve(
        worker,
        (id, request, sink) ->
            lane.execute(() -> send(sink, 0, (int) request.stopConditions().maxTokens())));
  }

  private void send(ResponseSink<LLMEngineOutput> sink, int from, int items) {
    int end = Math.min(items, from + BURST);
    for (int i = from; i < end; i++) {
      sink.next(LLMEngineOutput.of(TokenSlice.of(i)));
    }
    if (end == items) {
      sink.complete();
    } else {
      lane.execute(() -> send(sink, end, items));
    }
  }

  /** Runs this many streams at one time and returns the tokens that arrived. */
  long stream(int streams, int items) {
    AtomicLong tokens = new AtomicLong();
    CountDownLatch ended = new CountDownLatch(streams);
    for (int i = 0; i < streams; i++) {
      PreprocessedRequest request =
          PreprocessedRequest.builder("request-" + i, TokenSlice.of(1, 2, 3))
              .stopConditions(StopConditions.builder().maxTokens(items).build())
              .build();
      Attempt attempt = Attempt.builder(request.requestId(), threads.lane("client")).build();
      plane.send(worker, request, attempt).subscribe(new Counting(tokens, ended));
    }
    await(ended);
    return tokens.get();
  }

  static void await(CountDownLatch ended) {
    try {
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while measuring", e);
    }
  }

  @Override
  public void close() {
    plane.close();
    threads.close();
  }

  /** Counts the tokens of one stream; adds them up at its end. */
  private static final class Counting implements Flow.Subscriber<LLMEngineOutput> {
    private final AtomicLong tokens;
    private final CountDownLatch ended;
    private long count;

    Counting(AtomicLong tokens, CountDownLatch ended) {
      this.tokens = tokens;
      this.ended = ended;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(LLMEngineOutput item) {
      count += item.tokenIds().length();
    }

    @Override
    public void onError(Throwable error) {
      end();
    }

    @Override
    public void onComplete() {
      end();
    }

    private void end() {
      tokens.addAndGet(count);
      ended.countDown();
    }
  }
}
