// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import static io.dynamo4j.transport.zmq.ZmqRun.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sockets for replay that fall silent; time passes only where a test lets it. */
class ReplayTimeoutTest {
  private static final Duration IDLE = Duration.ofMillis(20);

  private final ZmqRun run = new ZmqRun();
  private final SteppedLanes lanes = SteppedLanes.over(run.lanes);
  private final ZmqTransport zmq =
      ZmqTransport.create(new Environment(lanes, () -> Instant.EPOCH, RandomSource.seeded(1)));
  private final RecordingListener listener = new RecordingListener();
  private final PlainEngine engine = new PlainEngine(run);
  private final ZmqEngineEventSource source =
      engine.source().replayIdleTimeout(IDLE).open(zmq, run.lane(), listener);

  @AfterEach
  void close() {
    zmq.close();
    run.close();
  }

  @Test
  void shouldResumeAReplayThatLacksItsEnd() {
    engine.ring.putAll(Map.of(0, "a", 1, "b"));
    engine.repliesHaveTopic = false;
    engine.endsToWithhold = 1;
    engine.awaitSubscriber();
    eventually(
        () -> {
          engine.answer();
          return listener.told.size() == 2;
        });
    engine.ring.put(2, "c");
    lanes.advance(IDLE);
    engine.send(2, "c"); // Waits for the replay that is still under way.
    eventually(
        () -> {
          engine.answer();
          return listener.told.size() == 3;
        });
    assertThat(listener.told).containsExactly("0:0a", "0:1b", "0:2c");
    assertThat(engine.requests).startsWith(0);
    EngineRankStatus rank = source.status().ranks().get(0);
    assertThat(rank.isReplayDeaf()).isFalse();
    if (rank.count(EngineSourceCounter.CONNECTIONS) == 1) {
      assertThat(engine.requests).containsExactly(0, 2);
      assertThat(rank.count(EngineSourceCounter.REPLAY_TIMEOUTS)).isEqualTo(1);
    }
  }

  @Test
  void shouldGoOnLiveWhenReplaySocketIsSilent() {
    engine.awaitSubscriber();
    engine.send(1, "b");
    engine.send(2, "c");
    eventually(
        () -> {
          lanes.advance(IDLE);
          return listener.told.size() == 3;
        });
    assertThat(listener.told).containsExactly("0:lost 0-0", "0:1b", "0:2c");
    EngineRankStatus rank = source.status().ranks().get(0);
    assertThat(rank.isReplayDeaf()).isTrue();
    assertThat(rank.count(EngineSourceCounter.REPLAY_TIMEOUTS)).isGreaterThanOrEqualTo(3);
    assertThat(rank.toString()).contains("replay=deaf").contains("LOST_BATCHES=1");
  }
}
