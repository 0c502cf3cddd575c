// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.engineevents;

import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.transport.zmq.ZmqEngineEventPublisher;
import io.dynamo4j.transport.zmq.ZmqEngineEventSource;
import io.dynamo4j.transport.zmq.ZmqTransport;
import io.dynamo4j.wire.EngineBatchWriter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Publishes blocks as an engine does, follows that engine by the configuration it was given, and
 * asks the index who has the beginning of a prompt.
 */
public final class EngineEvents {
  private static final int BLOCK_SIZE = 4;
  private static final long WORKER = 7;
  private static final int[] PROMPT = {11, 12, 13, 14, 15, 16, 17, 18, 19};

  private EngineEvents() {}

  /** Prints how many leading blocks of the prompt the engine has. */
  public static void main(String[] args) throws Exception {
    try (RealEnvironment lanes = RealEnvironment.create();
        ZmqTransport zmq = ZmqTransport.create(lanes.environment());
        KvIndexer index =
            KvIndexer.builder()
                .environment(lanes.environment())
                .blockSize(BLOCK_SIZE)
                .useKvEvents(true)
                .build();
        ZmqEngineEventPublisher engine =
            ZmqEngineEventPublisher.builder("tcp://127.0.0.1:*")
                .replayEndpoint("tcp://127.0.0.1:*")
                .open(zmq)) {
      // Published before anybody listens: it comes by replay.
      engine.publish(
          EngineBatchWriter.create(0)
              .storedRoot(new long[] {101, 102}, TokenSlice.of(PROMPT).slice(0, 8).toArray(), 4)
              .toBytes(0));

      String config =
          "{\"publisher\": \"zmq\", \"endpoint\": \"tcp://*:%s\", \"replay_endpoint\": \"tcp://*:%s\"}"
              .formatted(
                  port(engine.boundTo().toCompletableFuture().get(30, TimeUnit.SECONDS)),
                  port(engine.replayBoundTo().toCompletableFuture().get(30, TimeUnit.SECONDS)));
      CountDownLatch first = new CountDownLatch(1);
      IndexedEngine indexed = IndexedEngine.of(WORKER, index);
      ZmqEngineEventSource source =
          ZmqEngineEventSource.fromKvEventsConfig(config, "127.0.0.1")
              .open(
                  zmq,
                  lanes.lane("engine-7"),
                  (dpRank, sequence, payload) -> {
                    indexed.batch(dpRank, sequence, payload);
                    first.countDown();
                  });
      if (!first.await(30, TimeUnit.SECONDS)) {
        throw new IllegalStateException("nothing came: status=" + source.status());
      }
      index.flush().toCompletableFuture().get(30, TimeUnit.SECONDS);

      long[] query = BlockHasher.of(BlockHashOptions.of(BLOCK_SIZE)).hash(TokenSlice.of(PROMPT));
      OverlapScores scores = OverlapScores.create();
      index.findMatches(query, query.length, scores);
      System.out.println(scores.worker(0) + " has " + scores.depth(0) + " blocks");
    }
  }

  private static String port(String address) {
    return address.substring(address.lastIndexOf(':') + 1);
  }
}
