// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds a {@link ZmqEngineEventPublisher}; all but the address has a default, that of engines. */
public final class ZmqEngineEventPublisherBuilder {
  final String endpoint;
  @Nullable String replayEndpoint;
  String topic = "";
  int bufferSteps = 10_000;
  int highWater = 100_000;
  int queueCapacity = 100_000;
  int dpRank;
  boolean repliesHaveTopic = true;
  @Nullable Boolean bind;

  ZmqEngineEventPublisherBuilder(String endpoint) {
    this.endpoint = Objects.requireNonNull(endpoint, "endpoint");
  }

  private ZmqEngineEventPublisherBuilder(ZmqEngineEventPublisherBuilder other) {
    this.endpoint = other.endpoint;
    this.replayEndpoint = other.replayEndpoint;
    this.topic = other.topic;
    this.bufferSteps = other.bufferSteps;
    this.highWater = other.highWater;
    this.queueCapacity = other.queueCapacity;
    this.dpRank = other.dpRank;
    this.repliesHaveTopic = other.repliesHaveTopic;
    this.bind = other.bind;
  }

  /** Sets whether the address is bound or dialled; default as engines decide, by its form. */
  public ZmqEngineEventPublisherBuilder bind(boolean here) {
    this.bind = here;
    return this;
  }

  /** Sets where rank 0 answers requests for past batches, always bound; default nowhere. */
  public ZmqEngineEventPublisherBuilder replayEndpoint(String address) {
    this.replayEndpoint = Objects.requireNonNull(address, "address");
    return this;
  }

  /** Sets the topic of every message; default empty. */
  public ZmqEngineEventPublisherBuilder topic(String name) {
    this.topic = Objects.requireNonNull(name, "name");
    return this;
  }

  /** Sets the rank, by which ports are counted on; default 0. */
  public ZmqEngineEventPublisherBuilder dpRank(int rank) {
    if (rank < 0) {
      throw new IllegalArgumentException("rank must not be negative: dpRank=" + rank);
    }
    this.dpRank = rank;
    return this;
  }

  /** Sets how many batches can be asked for again; default 10,000. */
  public ZmqEngineEventPublisherBuilder bufferSteps(int batches) {
    this.bufferSteps = positive("bufferSteps", batches);
    return this;
  }

  /** Sets how many batches wait for one subscriber before it loses some; default 100,000. */
  public ZmqEngineEventPublisherBuilder highWater(int batches) {
    this.highWater = positive("highWater", batches);
    return this;
  }

  /** Sets how many batches wait for the socket before new ones are dropped; default 100,000. */
  public ZmqEngineEventPublisherBuilder queueCapacity(int batches) {
    this.queueCapacity = positive("queueCapacity", batches);
    return this;
  }

  /**
   * Sets whether replies to requests for past batches name the topic, as since vLLM 0.33 and SGLang
   * 0.5.23; default true.
   */
  public ZmqEngineEventPublisherBuilder repliesHaveTopic(boolean have) {
    this.repliesHaveTopic = have;
    return this;
  }

  private static int positive(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " must be positive: " + name + "=" + value);
    }
    return value;
  }

  /** Engines bind an address with a wildcard and one inside of the host, and dial any other. */
  boolean binds() {
    if (bind != null) {
      return bind;
    }
    return endpoint.contains("*")
        || endpoint.contains("::")
        || endpoint.startsWith("ipc://")
        || endpoint.startsWith("inproc://");
  }

  /**
   * Opens the sockets; an address that cannot be used shows in {@link
   * ZmqEngineEventPublisher#boundTo}.
   *
   * @throws IllegalArgumentException if the address has no place for the rank
   */
  public ZmqEngineEventPublisher open(ZmqTransport transport) {
    return ZmqEngineEventPublisher.open(transport.loop(), new ZmqEngineEventPublisherBuilder(this));
  }
}
