// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import static io.dynamo4j.transport.zmq.ZmqRun.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.indexer.engine.EngineEventNormalizer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The publisher class of SGLang 0.5.23 itself, over real sockets. The Python environment (pyzmq,
 * msgspec, one module out of SGLang's wheel) is made on first use and kept in the cache. {@code
 * -Ddynamo4j.engines=sglang-0.5.23,vllm-0.24.0} names others besides: vLLM's wheel has 400 MB.
 */
@Tag("slow")
class RealEngineTest {
  private static final String STORED =
      "{\"events\": [{\"stored\": {\"block_hashes\": [\"%d\"], \"parent_block_hash\": %s,"
          + " \"token_ids\": [%d, %d], \"block_size\": 2, \"medium\": \"GPU\"}}], \"ts\": 1.5}";

  static Stream<String> engines() {
    return Stream.of(System.getProperty("dynamo4j.engines", "sglang-0.5.23").split(","));
  }

  @ParameterizedTest
  @MethodSource("engines")
  void shouldFollowEngineThroughReplayLossAndRestart(String name) throws Exception {
    PythonEngine.prepare(name);
    List<RouterEvent> events = new CopyOnWriteArrayList<>();
    List<String> lives = new CopyOnWriteArrayList<>();
    EngineEventNormalizer normalizer = EngineEventNormalizer.builder(7, 2).build();
    EngineEventListener listener =
        new EngineEventListener() {
          @Override
          public void batch(int dpRank, long sequence, byte[] payload) {
            lives.add("batch " + sequence);
            events.addAll(normalizer.normalize(payload));
          }

          @Override
          public void restarted(int dpRank) {
            lives.add("restart");
            normalizer.reset();
          }

          @Override
          public void lost(int dpRank, long first, long last) {
            lives.add("lost " + first + "-" + last);
          }
        };
    try (ZmqRun run = new ZmqRun();
        PythonEngine engine = PythonEngine.start(name, 0, 0)) {
      for (int i = 0; i < 5; i++) {
        engine.publish(STORED.formatted(100 + i, i == 0 ? "null" : "\"" + (99 + i) + "\"", i, i));
      }
      ZmqEngineEventSource source =
          ZmqEngineEventSource.fromKvEventsConfig(engine.kvEventsConfig(), "127.0.0.1")
              .replayIdleTimeout(Duration.ofMinutes(1))
              .open(run.zmq, run.lane(), listener);
      eventually(() -> events.size() == 5);
      assertThat(source.status().ranks().get(0).count(EngineSourceCounter.REPLAYED_BATCHES))
          .isPositive();
      engine.publish("{\"events\": [{\"removed\": {\"block_hashes\": [\"104\"]}}]}");
      engine.publish("{\"events\": [{\"cleared\": {}}]}");
      eventually(() -> events.size() == 7);
      assertThat(lives).isEqualTo(batches(7));
      assertThat(normalizer.status().storedBlocks()).isEqualTo(5);
      assertThat(normalizer.status().rejected()).isZero();

      engine.stop();
      lives.clear();
      try (PythonEngine again = PythonEngine.start(name, engine.port(), engine.replayPort())) {
        again.publish(STORED.formatted(200, "null", 8, 9));
        eventually(() -> lives.size() >= 2);
        assertThat(lives).containsExactly("restart", "batch 0");
      }
    }
  }

  private static List<String> batches(int count) {
    List<String> batches = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      batches.add("batch " + i);
    }
    return batches;
  }
}
