// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

/**
 * One source of envelopes on one topic.
 *
 * <p><b>Threads.</b> Any; the order of {@link #publish} calls is the order of sequences.
 */
public interface EventPublisher extends AutoCloseable {

  /**
   * Sends one payload to whoever is subscribed; never waits. A subscriber without room loses it and
   * counts the loss, and the gap shows in the sequence.
   *
   * @param payload not copied; the caller must not write to it again
   * @return the sequence given to the envelope
   * @throws io.dynamo4j.core.model.DynamoException of type {@code CLOSED} after close
   */
  long publish(byte[] payload);

  /** Ends this source; idempotent. */
  @Override
  void close();
}
