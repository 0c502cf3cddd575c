// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import java.util.Map;

/** A {@link ZmqEventPlane} at one moment; counters never go back. */
public final class EventPlaneStatus {
  private final int wantedPublishers;
  private final int connectedPublishers;
  private final Map<EventPlaneCounter, Long> counts;

  EventPlaneStatus(
      int wantedPublishers, int connectedPublishers, Map<EventPlaneCounter, Long> counts) {
    this.wantedPublishers = wantedPublishers;
    this.connectedPublishers = connectedPublishers;
    this.counts = counts;
  }

  /** Returns to how many publishers, or topics of brokers, subscriptions want a connection. */
  public int wantedPublishers() {
    return wantedPublishers;
  }

  /** Returns how many of them there is a connection to. */
  public int connectedPublishers() {
    return connectedPublishers;
  }

  public long count(EventPlaneCounter counter) {
    return counts.getOrDefault(counter, 0L);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("EventPlaneStatus[wanted=").append(wantedPublishers);
    text.append(", connected=").append(connectedPublishers);
    counts.forEach(
        (counter, count) -> {
          if (count > 0) {
            text.append(", ").append(counter).append('=').append(count);
          }
        });
    return text.append(']').toString();
  }
}
