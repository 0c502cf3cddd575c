// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.plane.EventChannelDirectory;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds a {@link NatsEventPlane}; every setting has a default. */
public final class NatsEventPlaneBuilder {
  /** Envelopes that wait for one subscription, or of one publisher, unless told otherwise. */
  public static final int DEFAULT_QUEUE_CAPACITY = 100_000;

  final NatsTransport transport;
  @Nullable EventChannelDirectory channels;
  int queueCapacity = DEFAULT_QUEUE_CAPACITY;
  long maxPendingBytes = 64L << 20;

  NatsEventPlaneBuilder(NatsTransport transport) {
    this.transport = Objects.requireNonNull(transport, "transport");
  }

  /**
   * Announces publishers in a directory, as Dynamo's do. Subscribers over NATS need no directory;
   * default none.
   */
  public NatsEventPlaneBuilder channels(EventChannelDirectory directory) {
    this.channels = Objects.requireNonNull(directory, "directory");
    return this;
  }

  /**
   * Sets how many envelopes wait for one subscription, how many for all before they are told apart,
   * and how many of one publisher for the connection; beyond that new ones are dropped and counted.
   * Default 100,000.
   *
   * @throws IllegalArgumentException if not positive
   */
  public NatsEventPlaneBuilder queueCapacity(int envelopes) {
    this.queueCapacity = (int) positive("queueCapacity", envelopes);
    return this;
  }

  /**
   * Sets how many bytes wait for the connection, those of all publishers together, and how many
   * that came wait to be told apart; default 64 MiB each.
   *
   * @throws IllegalArgumentException if not positive
   */
  public NatsEventPlaneBuilder maxPendingBytes(long bytes) {
    this.maxPendingBytes = positive("maxPendingBytes", bytes);
    return this;
  }

  private static long positive(String name, long value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " must be positive: " + name + "=" + value);
    }
    return value;
  }

  public NatsEventPlane build() {
    return NatsEventPlane.open(this);
  }
}
