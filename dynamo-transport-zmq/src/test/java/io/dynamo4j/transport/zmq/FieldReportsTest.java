// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import static io.dynamo4j.transport.zmq.ZmqRun.bytes;
import static io.dynamo4j.transport.zmq.ZmqRun.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.sun.management.UnixOperatingSystemMXBean;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import io.dynamo4j.plane.memory.InMemoryEventChannels;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.zeromq.SocketType;
import org.zeromq.ZContext;

/** What has gone wrong elsewhere with JeroMQ, and must not here. */
class FieldReportsTest {
  private static final EventScope SCOPE = new EventScope.Namespace("ns");
  private static final int THREADS = 16;
  private static final int ROUNDS = 15;
  private static final int REPLAYS = 80;

  /** Each socket has a signaler of two descriptors and a selector of its own. */
  private static final int DESCRIPTORS_OF_OTHERS = 100;

  @Test // field report I08
  void shouldServeSixteenThreadsThatPublishAndComeAndGoAtOnce() throws Exception {
    InMemoryEventChannels channels = InMemoryEventChannels.create();
    Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    try (ZmqRun run = new ZmqRun();
        ZmqEventPlane plane = ZmqEventPlane.direct(run.zmq, channels).build()) {
      EventPublisher shared = plane.publisher(SCOPE, "shared", 1);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        long id = 100L + i;
        Thread thread =
            new Thread(
                () -> {
                  for (int round = 0; round < ROUNDS; round++) {
                    comeAndGo(run, plane, shared, id);
                  }
                },
                "caller-" + i);
        thread.setUncaughtExceptionHandler((where, thrown) -> failures.add(thrown));
        threads.add(thread);
        thread.start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
      // The owner thread has got through all of it, and is alive.
      CompletableFuture<Void> passed = new CompletableFuture<>();
      run.zmq.loop().execute(() -> passed.complete(null));
      passed.get(ZmqRun.PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThat(failures).isEmpty();
      assertThat(shared.publish(bytes("last"))).isEqualTo(THREADS * ROUNDS);
      shared.close();
      eventually(() -> channels.channels().isEmpty());
    }
  }

  private static void comeAndGo(ZmqRun run, ZmqEventPlane plane, EventPublisher shared, long id) {
    EventSubscription subscription = plane.subscribe(SCOPE, "shared", run.lane(), any -> {});
    EventPublisher own = plane.publisher(SCOPE, "own", id);
    ZmqEngineEventSource source =
        ZmqEngineEventSource.builder("inproc://engine-" + id)
            .open(run.zmq, run.lane(), new RecordingListener());
    shared.publish(bytes("x"));
    own.publish(bytes("y"));
    subscription.close();
    own.close();
    source.close();
  }

  @Test // field report I08
  void shouldRefuseASocketToAnyThreadButItsOwner() throws Exception {
    try (ZmqRun run = new ZmqRun()) {
      CompletableFuture<LoopSocket> opened = new CompletableFuture<>();
      run.zmq
          .loop()
          .execute(() -> opened.complete(run.zmq.loop().open(SocketType.PUB, frames -> {})));
      LoopSocket socket = opened.get(ZmqRun.PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThatThrownBy(() -> socket.trySend(List.of(bytes("x"))))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("socket used off its thread: thread=");
      assertThatThrownBy(socket::close).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test // field report I11
  void shouldKeepNoDescriptorOfReplaysThatAreOver() {
    OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
    assumeThat(system).isInstanceOf(UnixOperatingSystemMXBean.class);
    UnixOperatingSystemMXBean unix = (UnixOperatingSystemMXBean) system;
    RecordingListener listener = new RecordingListener();
    try (RealEnvironment lanes = RealEnvironment.create();
        ZContext context = new ZContext();
        ZmqTransport zmq =
            ZmqTransport.create(
                lanes.environment(), ZmqOptions.builder().context(context).build())) {
      PlainEngine engine = new PlainEngine(context, "inproc://engine", "inproc://replay");
      ZmqEngineEventSource source = engine.source().open(zmq, lanes.lane("l"), listener);
      engine.awaitSubscriber();
      long before = 0;
      for (int i = 0; i < REPLAYS; i++) {
        if (i == REPLAYS / 10) {
          before = unix.getOpenFileDescriptorCount();
        }
        // Every other batch is missing and asked for, and nobody has it.
        int told = listener.told.size();
        engine.send(2 * i + 1, "x");
        eventually(
            () -> {
              engine.answer();
              return listener.told.size() == told + 2;
            });
      }
      long most = before + DESCRIPTORS_OF_OTHERS;
      eventually(() -> unix.getOpenFileDescriptorCount() < most);
      assertThat(source.status().ranks().get(0).count(EngineSourceCounter.REPLAYS))
          .isGreaterThanOrEqualTo(REPLAYS);
    }
  }
}
