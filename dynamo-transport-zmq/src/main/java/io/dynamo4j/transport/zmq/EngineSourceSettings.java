// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import org.jspecify.annotations.Nullable;

/** What a {@link ZmqEngineEventSourceBuilder} was told, unchanging. */
final class EngineSourceSettings {
  final @Nullable String disabledBecause;
  final String endpoint;
  final @Nullable String replayEndpoint;
  final String topic;
  final boolean bind;
  final int highWater;
  final int queueCapacity;
  final long replayIdleNanos;
  final long silentNanos;

  EngineSourceSettings(ZmqEngineEventSourceBuilder builder) {
    this.disabledBecause = builder.disabledBecause;
    this.endpoint = builder.endpoint;
    this.replayEndpoint = builder.replayEndpoint;
    this.topic = builder.topic;
    this.bind = builder.bind;
    this.highWater = builder.highWater;
    this.queueCapacity = builder.queueCapacity;
    this.replayIdleNanos = builder.replayIdle.toNanos();
    this.silentNanos = builder.silentAfter.toNanos();
  }
}
