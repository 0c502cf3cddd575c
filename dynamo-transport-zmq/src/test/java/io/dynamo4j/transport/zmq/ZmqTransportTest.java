// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import static io.dynamo4j.transport.zmq.ZmqRun.eventually;
import static io.dynamo4j.transport.zmq.ZmqRun.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.RealEnvironment;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

class ZmqTransportTest {

  @Test
  void shouldEndEverythingWhenClosed() throws Exception {
    try (ZmqRun run = new ZmqRun()) {
      ZmqEngineEventPublisher engine =
          ZmqEngineEventPublisher.builder("tcp://127.0.0.1:*").open(run.zmq);
      ZmqEngineEventSource source =
          ZmqEngineEventSource.builder(get(engine.boundTo()))
              .open(run.zmq, run.lane(), new RecordingListener());
      assertThat(run.zmq.isClosed()).isFalse();
      run.zmq.close();
      run.zmq.close();
      assertThat(run.zmq.isClosed()).isTrue();
      assertThat(source.status().state()).isEqualTo(EngineSourceState.CLOSED);
      assertThatThrownBy(() -> engine.publish(ZmqRun.EMPTY))
          .isInstanceOfSatisfying(
              DynamoException.class, e -> assertThat(e.errorType()).isEqualTo(ErrorType.CLOSED));
      ZmqEngineEventPublisher late =
          ZmqEngineEventPublisher.builder("tcp://127.0.0.1:*").open(run.zmq);
      assertThatThrownBy(() -> get(late.boundTo())).isInstanceOf(ExecutionException.class);
    }
  }

  @Test
  void shouldLeaveTheHostsContextOpen() {
    try (RealEnvironment lanes = RealEnvironment.create();
        ZContext context = new ZContext()) {
      for (int i = 0; i < 3; i++) {
        ZmqTransport zmq =
            ZmqTransport.create(lanes.environment(), ZmqOptions.builder().context(context).build());
        ZmqEngineEventSource.builder("inproc://engine")
            .open(zmq, lanes.lane("l"), new RecordingListener());
        zmq.close();
        assertThat(zmq.isClosed()).isTrue();
      }
      assertThat(context.isClosed()).isFalse();
      assertThat(context.getSockets()).isEmpty();
      try (ZMQ.Socket still = context.createSocket(SocketType.PUB)) {
        assertThat(still.bind("inproc://usable")).isTrue();
      }
    }
  }

  @Test
  void shouldEndWithTheHostsContext() {
    try (RealEnvironment lanes = RealEnvironment.create()) {
      ZContext context = new ZContext();
      ZmqTransport zmq =
          ZmqTransport.create(lanes.environment(), ZmqOptions.builder().context(context).build());
      ZmqEngineEventSource source =
          ZmqEngineEventSource.builder("tcp://127.0.0.1:1")
              .open(zmq, lanes.lane("l"), new RecordingListener());
      eventually(() -> source.status().state() == EngineSourceState.CONNECTING);
      context.close();
      zmq.close();
      eventually(() -> source.status().state() == EngineSourceState.CLOSED);
    }
  }

  @Test // field report I07
  void shouldSurviveCallersThatAreInterrupted() throws Exception {
    for (int i = 0; i < 20; i++) {
      RecordingListener listener = new RecordingListener();
      try (ZmqRun run = new ZmqRun()) {
        ZmqEngineEventPublisher engine =
            ZmqEngineEventPublisher.builder("inproc://engine")
                .replayEndpoint("inproc://replay")
                .open(run.zmq);
        get(engine.replayBoundTo());
        Thread.currentThread().interrupt();
        engine.publish(ZmqRun.bytes("a"));
        ZmqEngineEventSource source =
            ZmqEngineEventSource.builder("inproc://engine")
                .replayEndpoint("inproc://replay")
                .open(run.zmq, run.lane(), listener);
        engine.publish(ZmqRun.bytes("b"));
        assertThat(Thread.interrupted()).isTrue();
        eventually(() -> listener.told.size() == 2);
        Thread.currentThread().interrupt();
        source.close();
        engine.close();
        run.zmq.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(run.zmq.isClosed()).isTrue();
      }
    }
    eventually(() -> threads("dynamo4j-zmq") == 0);
    eventually(() -> threads("reaper-1") == 0);
  }

  @Test
  void shouldNameAnAddressThatIsInUse() throws Exception {
    try (ZmqRun run = new ZmqRun()) {
      String inUse = ZmqRun.bind(run.peer(SocketType.PULL));
      ZmqEngineEventPublisher engine =
          ZmqEngineEventPublisher.builder(inUse).bind(true).open(run.zmq);
      assertThatThrownBy(() -> get(engine.boundTo()))
          .hasCauseInstanceOf(DynamoException.class)
          .cause()
          .hasMessageContaining("cannot use address: endpoint=" + inUse)
          .satisfies(
              e ->
                  assertThat(((DynamoException) e).errorType())
                      .isEqualTo(ErrorType.CANNOT_CONNECT));
    }
  }

  @Test
  void shouldRefuseSettingsOutOfRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ZmqOptions.builder().ioThreads(0))
        .withMessageContaining("ioThreads=0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ZmqOptions.builder().linger(Duration.ZERO));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ZmqEngineEventSource.builder("tcp://h:1").ranks(0, 0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ZmqEngineEventSource.builder("tcp://h:1").silentAfter(Duration.ZERO));
  }

  private static long threads(String name) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(name))
        .count();
  }
}
