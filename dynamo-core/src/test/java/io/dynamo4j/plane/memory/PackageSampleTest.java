// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;

/** The samples of the package documentation, run. */
class PackageSampleTest {
  private final ManualLane lane = new ManualLane();
  private final Environment environment = ManualLane.environment(lane);
  private final List<String> seen = new ArrayList<>();

  @Test
  void shouldAnswerAsInTheSample() {
    InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
    InMemoryRequestPlane<String, String> plane = InMemoryRequestPlane.create(environment);
    WorkerInstance worker =
        WorkerInstance.builder(1, InMemoryRequestPlane.address("worker-1")).build();
    ServedEndpoint served =
        plane.serve(
            worker,
            (requestId, request, sink) -> {
              sink.next("Hello, " + request);
              sink.complete();
            });
    directory.register(worker);

    Attempt attempt = Attempt.builder("request-1", environment.lanes().lane("client")).build();
    plane.send(directory.instances().get(0), "world", attempt).subscribe(collector());
    lane.run();
    assertThat(seen).containsExactly("Hello, world", "completed");
    served.close();
  }

  @Test
  void shouldDeliverEventsAsInTheSample() {
    InMemoryEventPlane plane = InMemoryEventPlane.create(environment);
    EventScope scope = new EventScope.Endpoint("prod", "worker", "generate");
    EventSubscription events =
        plane.subscribe(
            scope,
            "kv-events",
            lane,
            envelope -> seen.add(new String(envelope.payload(), StandardCharsets.UTF_8)));
    plane.publisher(scope, "kv-events", 7).publish("stored".getBytes(StandardCharsets.UTF_8));
    lane.run();
    assertThat(seen).containsExactly("stored");
    assertThat(events.droppedCount()).isZero();
  }

  private Flow.Subscriber<String> collector() {
    return new Flow.Subscriber<>() {
      @Override
      public void onSubscribe(Flow.Subscription subscription) {
        subscription.request(Long.MAX_VALUE);
      }

      @Override
      public void onNext(String item) {
        seen.add(item);
      }

      @Override
      public void onError(Throwable error) {
        throw new AssertionError(error);
      }

      @Override
      public void onComplete() {
        seen.add("completed");
      }
    };
  }
}
