// SPDX-License-Identifier: Apache-2.0
/**
 * Events over ZeroMQ: what engines publish, and Dynamo's event plane.
 *
 * <p>A {@link io.dynamo4j.transport.zmq.ZmqTransport} has one thread that owns all sockets;
 * sources, publishers and planes made over it share that thread and end with it:
 *
 * <pre>{@code
 * try (ZmqTransport zmq = ZmqTransport.create(environment)) {
 *   ZmqEngineEventSource source =
 *       ZmqEngineEventSource.fromKvEventsConfig(json, "10.0.0.7").open(zmq, lane, listener);
 *   source.status();
 * }
 * }</pre>
 */
@NullMarked
package io.dynamo4j.transport.zmq;

import org.jspecify.annotations.NullMarked;
