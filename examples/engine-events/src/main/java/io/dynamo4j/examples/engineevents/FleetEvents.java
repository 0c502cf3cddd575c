// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.engineevents;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventChannelDirectory;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.transport.zmq.EngineEventPull;
import io.dynamo4j.transport.zmq.PulledEngineEventSource;
import io.dynamo4j.transport.zmq.ZmqBrokers;
import io.dynamo4j.transport.zmq.ZmqEventPlane;
import io.dynamo4j.transport.zmq.ZmqTransport;
import java.time.Duration;
import java.util.Map;

/** The two other ways to events: engines that are asked for theirs, and a Dynamo fleet. */
public final class FleetEvents {
  private static final Duration PAUSE = Duration.ofMillis(100);

  private FleetEvents() {}

  /** Indexes what TensorRT-LLM hands out when it is asked. */
  public static PulledEngineEventSource follow(
      EngineEventPull engine, Scheduler lane, IndexedEngine indexed) {
    return PulledEngineEventSource.open(engine, lane, PAUSE, indexed);
  }

  /** Joins a fleet's event plane by its variables: at brokers if they name any, else directly. */
  public static EventPlane join(
      ZmqTransport zmq, EventChannelDirectory channels, Map<String, String> environment) {
    ZmqBrokers brokers = ZmqBrokers.fromEnvironment(environment);
    return brokers != null
        ? ZmqEventPlane.brokered(zmq, brokers).build()
        : ZmqEventPlane.direct(zmq, channels).fromEnvironment(environment).build();
  }
}
