// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Another plane that loses what comes in while it is told to. */
final class LossyEvents implements EventPlane {
  private final EventPlane right;
  private final AtomicInteger lost = new AtomicInteger();
  private volatile boolean losing;

  LossyEvents(EventPlane right) {
    this.right = right;
  }

  void lose(boolean all) {
    losing = all;
  }

  int lost() {
    return lost.get();
  }

  @Override
  public EventPublisher publisher(EventScope scope, String topic, long publisherId) {
    return right.publisher(scope, topic, publisherId);
  }

  @Override
  public EventSubscription subscribe(
      EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler) {
    return right.subscribe(
        scope,
        topic,
        lane,
        envelope -> {
          if (losing) {
            lost.incrementAndGet();
          } else {
            handler.accept(envelope);
          }
        });
  }

  @Override
  public void close() {
    right.close();
  }
}
