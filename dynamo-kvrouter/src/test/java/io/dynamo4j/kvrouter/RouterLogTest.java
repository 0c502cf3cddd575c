// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.memory.InMemoryEventPlane;
import io.dynamo4j.testkit.simulation.Simulation;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

/** What is wrong is logged once, however often it is met. */
class RouterLogTest {
  private static final long MINUTE = 60_000_000_000L;

  private final RouterFixture fixture = new RouterFixture(2);
  private final List<String> warnings = new ArrayList<>();

  private Logger log() {
    return (Logger)
        Proxy.newProxyInstance(
            Logger.class.getClassLoader(),
            new Class<?>[] {Logger.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("warn")) {
                warnings.add(arguments[0] + " " + arguments[1]);
              }
              return null;
            });
  }

  private void serve(KvRouter router, int minutes) {
    for (int i = 0; i < minutes; i++) {
      fixture.nanos.addAndGet(MINUTE);
      router.trySelect(request("r", tokens(0, 16))).close();
      router.health();
    }
  }

  @Test
  void shouldWarnOnceOfAListenerThatFailsEachTime() {
    KvRouter router =
        fixture
            .builder()
            .log(log())
            .listener(
                event -> {
                  throw new IllegalStateException("planted");
                })
            .build();

    serve(router, 20);

    assertThat(warnings).singleElement().asString().contains("listener failed", "Booked");
  }

  @Test
  void shouldWarnOnceOfAFaultThatLastsAndAgainWhenItComesBack() {
    KvRouter router = fixture.builder().log(log()).build();
    fixture.directory.register(RouterFixture.instance(3).kvBlockSize(64).build());

    serve(router, 20);
    assertThat(warnings).singleElement().asString().contains("block size", "worker=3");

    fixture.directory.unregister(3);
    serve(router, 5);
    fixture.directory.register(RouterFixture.instance(3).kvBlockSize(64).build());
    serve(router, 5);
    assertThat(warnings).hasSize(2);
  }

  @Test
  void shouldWarnOfNothingWhenNothingIsWrong() {
    serve(fixture.builder().log(log()).build(), 20);

    assertThat(warnings).isEmpty();
  }

  @Test
  void shouldWarnOnceOfLoadsThatCannotBeRead() {
    Simulation simulation = Simulation.builder().seed(1).build();
    var environment = simulation.environment("router");
    InMemoryEventPlane plane = InMemoryEventPlane.create(environment);
    EventScope scope = new EventScope.Endpoint("ns", "backend", "generate");
    Scheduler lane = environment.lanes().lane("loads");
    LoadMonitor monitor = LoadMonitor.create(lane.clock());
    try (WorkerLoadFeed feed =
            WorkerLoadFeed.connect(monitor, fixture.directory, plane, scope, lane, log());
        EventPublisher publisher = plane.publisher(scope, "kv_metrics", 7)) {
      for (int i = 0; i < 50; i++) {
        publisher.publish(new byte[] {(byte) 0xc1});
        simulation.runFor(MINUTE);
      }

      assertThat(feed.unreadableCount()).isEqualTo(50);
      assertThat(warnings).singleElement().asString().contains("cannot be read", "7");
    }
  }

  @Test
  void shouldSayNothingOfRequests() {
    List<String> said = new ArrayList<>();
    Logger all =
        (Logger)
            Proxy.newProxyInstance(
                Logger.class.getClassLoader(),
                new Class<?>[] {Logger.class},
                (proxy, method, arguments) -> {
                  said.add(method.getName());
                  return null;
                });

    serve(fixture.builder().log(all).build(), 20);

    assertThat(said).isEmpty();
  }
}
