// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.core.model.DynamoException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A {@link NatsEventPlane} at one moment; counters never go back. */
public final class NatsEventPlaneStatus {
  private final NatsStatus connection;
  private final int topics;
  private final int pendingEnvelopes;
  private final Map<NatsEventCounter, Long> counts;
  private final @Nullable DynamoException lastRefusal;

  NatsEventPlaneStatus(
      NatsStatus connection,
      int topics,
      int pendingEnvelopes,
      Map<NatsEventCounter, Long> counts,
      @Nullable DynamoException lastRefusal) {
    this.connection = connection;
    this.topics = topics;
    this.pendingEnvelopes = pendingEnvelopes;
    this.counts = counts;
    this.lastRefusal = lastRefusal;
  }

  /** Returns what there is of the server. */
  public NatsStatus connection() {
    return connection;
  }

  /** Returns to how many topics there are subscriptions. */
  public int topics() {
    return topics;
  }

  /** Returns how many published envelopes wait for the connection. */
  public int pendingEnvelopes() {
    return pendingEnvelopes;
  }

  public long count(NatsEventCounter counter) {
    return counts.getOrDefault(counter, 0L);
  }

  /**
   * Returns why the newest published envelope that was not sent for its size was not; {@code
   * INVALID_REQUEST}, null if there was none.
   */
  public @Nullable DynamoException lastRefusal() {
    return lastRefusal;
  }

  @Override
  public String toString() {
    StringBuilder text =
        new StringBuilder("NatsEventPlaneStatus[state=").append(connection.state());
    text.append(", topics=").append(topics).append(", pending=").append(pendingEnvelopes);
    counts.forEach(
        (counter, count) -> {
          if (count > 0) {
            text.append(", ").append(counter).append('=').append(count);
          }
        });
    return text.append(']').toString();
  }
}
