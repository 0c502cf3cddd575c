// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Planes that write down what is subscribed to and what is sent. */
final class CountingPlanes {
  private CountingPlanes() {}

  /** Notes the topics that are subscribed to. */
  static final class Events implements EventPlane {
    final List<String> topics = new ArrayList<>();
    private final EventPlane plane;

    Events(EventPlane plane) {
      this.plane = plane;
    }

    @Override
    public EventPublisher publisher(EventScope scope, String topic, long publisherId) {
      return plane.publisher(scope, topic, publisherId);
    }

    @Override
    public EventSubscription subscribe(
        EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler) {
      topics.add(topic);
      return plane.subscribe(scope, topic, lane, handler);
    }

    @Override
    public void close() {
      plane.close();
    }
  }

  /** Keeps the messages that are sent. */
  static final class Requests implements RequestPlane<byte[], byte[]> {
    final List<byte[]> sent = new ArrayList<>();
    private final RequestPlane<byte[], byte[]> plane;

    Requests(RequestPlane<byte[], byte[]> plane) {
      this.plane = plane;
    }

    @Override
    public ResponseStream<byte[]> send(WorkerInstance target, byte[] request, Attempt attempt) {
      sent.add(request);
      return plane.send(target, request, attempt);
    }

    @Override
    public ServedEndpoint serve(WorkerInstance instance, RequestHandler<byte[], byte[]> handler) {
      return plane.serve(instance, handler);
    }

    @Override
    public void close() {
      plane.close();
    }
  }
}
