// SPDX-License-Identifier: Apache-2.0
/**
 * What the request planes of different transports have in common: for those who write one.
 *
 * <p>{@link io.dynamo4j.plane.transport.StreamExchange} keeps the promises of {@link
 * io.dynamo4j.plane.ResponseStream} on the client's side (demand, cancel, deadline, exactly one
 * terminal signal, all on the attempt's lane); a transport adds how the request goes out and how
 * the worker learns that nobody listens any more.
 */
@NullMarked
package io.dynamo4j.plane.transport;

import org.jspecify.annotations.NullMarked;
