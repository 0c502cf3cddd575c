// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.wire.KvEventsConfig;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds a {@link ZmqEngineEventSource}; all but the address has a default. */
public final class ZmqEngineEventSourceBuilder {
  /** Batches that wait for the listener's lane before reading stops. */
  public static final int DEFAULT_QUEUE_CAPACITY = 4096;

  private static final int MAX_RANKS = 4096;

  final @Nullable String disabledBecause;
  final String endpoint;
  @Nullable String replayEndpoint;
  String topic = "";
  boolean bind;
  int highWater = 100_000;
  int queueCapacity = DEFAULT_QUEUE_CAPACITY;
  Duration replayIdle = Duration.ofSeconds(5);
  Duration silentAfter = Duration.ofMinutes(1);
  private int firstRank;
  private int rankCount = 1;

  ZmqEngineEventSourceBuilder(@Nullable String disabledBecause, String endpoint) {
    this.disabledBecause = disabledBecause;
    this.endpoint = Objects.requireNonNull(endpoint, "endpoint");
  }

  static ZmqEngineEventSourceBuilder of(KvEventsConfig config, String host) {
    String disabled = config.disabledBecause();
    if (disabled != null) {
      return new ZmqEngineEventSourceBuilder(disabled, config.endpoint());
    }
    boolean bind = !config.engineBinds();
    String endpoint = config.endpoint();
    ZmqEngineEventSourceBuilder builder =
        new ZmqEngineEventSourceBuilder(
            null, bind ? endpoint : EngineEndpoints.atHost(endpoint, host));
    builder.bind = bind;
    builder.topic = config.topic();
    String replay = config.replayEndpoint();
    if (replay != null && !replay.isEmpty()) {
      builder.replayEndpoint = EngineEndpoints.atHost(replay, host);
    }
    return builder;
  }

  /** Sets where rank 0 answers requests for past batches; default nowhere. */
  public ZmqEngineEventSourceBuilder replayEndpoint(String address) {
    this.replayEndpoint = Objects.requireNonNull(address, "address");
    return this;
  }

  /** Sets with what the topic of every wanted message begins; default empty, for every topic. */
  public ZmqEngineEventSourceBuilder topic(String prefix) {
    this.topic = Objects.requireNonNull(prefix, "prefix");
    return this;
  }

  /** Sets that the engine dials and this side binds; default the other way round. */
  public ZmqEngineEventSourceBuilder bind(boolean here) {
    this.bind = here;
    return this;
  }

  /**
   * Sets which ranks the engine has; default rank 0 alone. Rank {@code n} is at the address of rank
   * 0 with the port counted on by {@code n}.
   *
   * @throws IllegalArgumentException if there are none, more than 4,096, or negative ones
   */
  public ZmqEngineEventSourceBuilder ranks(int first, int count) {
    if (first < 0 || count < 1 || count > MAX_RANKS) {
      throw new IllegalArgumentException(
          "ranks are out of range: first=" + first + ", count=" + count + ", most=" + MAX_RANKS);
    }
    this.firstRank = first;
    this.rankCount = count;
    return this;
  }

  /**
   * Sets how many batches of a rank wait in ZeroMQ's queue before the engine drops some; default
   * 100,000, as engines have it.
   */
  public ZmqEngineEventSourceBuilder highWater(int batches) {
    this.highWater = positive("highWater", batches);
    return this;
  }

  /** Sets how many batches of a rank wait for the lane before reading stops; default 4,096. */
  public ZmqEngineEventSourceBuilder queueCapacity(int batches) {
    this.queueCapacity = positive("queueCapacity", batches);
    return this;
  }

  /**
   * Sets after how long without a reply a request for past batches is made anew, three times in a
   * row at most; default 5 seconds. Live batches wait meanwhile.
   */
  public ZmqEngineEventSourceBuilder replayIdleTimeout(Duration time) {
    this.replayIdle = positive(time);
    return this;
  }

  /** Sets after how long without a batch a connected rank counts as silent; default a minute. */
  public ZmqEngineEventSourceBuilder silentAfter(Duration time) {
    this.silentAfter = positive(time);
    return this;
  }

  private static int positive(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " must be positive: " + name + "=" + value);
    }
    return value;
  }

  private static Duration positive(Duration time) {
    if (time.isNegative() || time.isZero()) {
      throw new IllegalArgumentException("time must be positive: time=" + time);
    }
    return time;
  }

  /**
   * Connects, now and again and again whenever the connection is lost.
   *
   * @param lane where {@code listener} is told; never inline
   * @throws IllegalArgumentException if the address has no place for one of the ranks
   */
  public ZmqEngineEventSource open(
      ZmqTransport transport, Scheduler lane, EngineEventListener listener) {
    Objects.requireNonNull(lane, "lane");
    Objects.requireNonNull(listener, "listener");
    return ZmqEngineEventSource.open(
        transport.loop(), new EngineSourceSettings(this), firstRank, rankCount, lane, listener);
  }
}
