// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.nats.client.Connection;
import io.nats.client.Consumer;
import io.nats.client.ErrorListener;
import io.nats.client.Message;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says what the client meets where logs ask for it; the client's own listener prints. What matters
 * to a host is in {@link NatsStatus} and in the planes' counters.
 */
final class LoggedErrors implements ErrorListener {
  private static final Logger LOG = LoggerFactory.getLogger(LoggedErrors.class);
  private static final int MAX_TEXT = 200;

  @Override
  public void errorOccurred(Connection connection, String error) {
    LOG.debug("NATS server says: {}", safe(error));
  }

  @Override
  public void exceptionOccurred(Connection connection, Exception exception) {
    LOG.debug("NATS connection failed: {}", safe(String.valueOf(exception)));
  }

  @Override
  public void slowConsumerDetected(Connection connection, Consumer consumer) {
    LOG.debug("NATS messages come faster than they are read");
  }

  @Override
  public void messageDiscarded(Connection connection, Message message) {
    LOG.debug("NATS client has discarded a message");
  }

  /** Returns text from outside without control characters, cut to what a log line may hold. */
  static String safe(String text) {
    String cut = text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) : text;
    return cut.replaceAll("\\p{Cntrl}", "?");
  }
}
