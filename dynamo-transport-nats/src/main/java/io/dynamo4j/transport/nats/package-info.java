// SPDX-License-Identifier: Apache-2.0
/**
 * Dynamo's event plane and request plane over core NATS.
 *
 * <p>A {@link io.dynamo4j.transport.nats.NatsTransport} has one connection; planes made over it
 * share that connection and end with it. JetStream is not touched, so that a server without it will
 * do.
 *
 * <pre>{@code
 * try (NatsTransport nats = NatsTransport.create(environment, NatsOptions.fromEnvironment(env));
 *     NatsEventPlane events = NatsEventPlane.builder(nats).build()) {
 *   events.subscribe(scope, "kv-events", lane, handler);
 * }
 * }</pre>
 */
@NullMarked
package io.dynamo4j.transport.nats;

import org.jspecify.annotations.NullMarked;
