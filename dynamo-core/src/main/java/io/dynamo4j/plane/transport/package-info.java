// SPDX-License-Identifier: Apache-2.0
/**
 * What planes of different transports have in common: for those who write one.
 *
 * <p>For event planes: {@link io.dynamo4j.plane.transport.LaneQueue} between a transport's thread
 * and a subscriber's lane, {@link io.dynamo4j.plane.transport.SequenceWatch} over the numbers of a
 * publisher.
 *
 * <p>For request planes: {@link io.dynamo4j.plane.transport.StreamExchange} keeps the promises of
 * {@link io.dynamo4j.plane.ResponseStream} on the client's side (demand, cancel, deadline, exactly
 * one terminal signal, all on the attempt's lane); a transport adds how the request goes out and
 * how the worker learns that nobody listens any more.
 */
@NullMarked
package io.dynamo4j.plane.transport;

import org.jspecify.annotations.NullMarked;
