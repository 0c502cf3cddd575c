// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.tcp;

import io.dynamo4j.benchmarks.MeasuringProcess;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.transport.tcp.PayloadCodec;
import io.dynamo4j.transport.tcp.TcpRequestPlane;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The worker of {@link TcpSoak} in a process of its own. Each stream gets one token and waits; once
 * it is told to, the rest. A token is the stream's own number and its place, mixed.
 */
public final class TcpSoakWorker {
  static final String ADDRESS = "address";
  static final String OPEN = "open";
  static final String RELEASE = "release";

  private static final int BURST = 8;

  private final RealEnvironment threads = RealEnvironment.create();
  private final Scheduler lane = threads.lane("worker");
  private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
  private final Address address;
  private final ServedEndpoint served;

  private TcpSoakWorker() {
    TcpRequestPlane<PreprocessedRequest, LLMEngineOutput> plane =
        TcpRequestPlane.builder(PayloadCodec.generate(), threads.environment())
            .options(TcpSoak.options())
            .build();
    address = plane.address("1/soak/worker/generate");
    served =
        plane.serve(
            WorkerInstance.builder(1, address).build(),
            (id, request, sink) -> lane.execute(() -> begin(request, sink)));
  }

  /** Answers commands from standard input until it ends. */
  public static void main(String[] args) {
    TcpSoakWorker worker = new TcpSoakWorker();
    MeasuringProcess.serve(System.out, worker::answer);
    System.exit(0);
  }

  private Object answer(String command) {
    return switch (command) {
      case ADDRESS -> address.transport() + " " + address.value();
      case OPEN -> served.openStreamCount();
      case RELEASE -> release();
      default -> throw new IllegalArgumentException("command is not known: command=" + command);
    };
  }

  private int release() {
    int count = 0;
    for (Runnable each = waiting.poll(); each != null; each = waiting.poll()) {
      lane.execute(each);
      count++;
    }
    return count;
  }

  private void begin(PreprocessedRequest request, ResponseSink<LLMEngineOutput> sink) {
    int stream = request.tokenIds().get(0);
    int tokens = (int) request.stopConditions().maxTokens();
    sink.next(LLMEngineOutput.of(TokenSlice.of(token(stream, 0))));
    waiting.add(() -> stream(sink, stream, 1, tokens));
  }

  private void stream(ResponseSink<LLMEngineOutput> sink, int stream, int from, int tokens) {
    int end = Math.min(tokens - 1, from + BURST);
    for (int at = from; at < end; at++) {
      if (!sink.next(LLMEngineOutput.of(TokenSlice.of(token(stream, at))))) {
        return; // Its client has gone.
      }
    }
    if (end < tokens - 1) {
      lane.execute(() -> stream(sink, stream, end, tokens));
    } else {
      sink.next(
          LLMEngineOutput.last(TokenSlice.of(token(stream, tokens - 1)), FinishReason.LENGTH));
      sink.complete();
    }
  }

  /** Returns the token at a place of a stream. */
  static int token(int stream, int place) {
    int mixed = (stream * 0x9E3779B1 + place) * 0x85EBCA77;
    return (mixed ^ (mixed >>> 15)) & 0x1ffff;
  }
}
