// SPDX-License-Identifier: Apache-2.0
/**
 * Contracts of the request plane, the event plane, the worker directory and dispatch.
 *
 * <p>A worker serves, a client sends, and the answer is a cold stream for one subscriber; every
 * signal comes on the lane that the attempt names:
 *
 * <pre>{@code
 * ServedEndpoint served =
 *     plane.serve(
 *         instance,
 *         (requestId, request, sink) -> {
 *           sink.onCancel(() -> engine.stop(requestId));
 *           engine.start(requestId, request, sink::next, sink::complete, sink::fail);
 *         });
 *
 * Attempt attempt = Attempt.builder("request-1", environment.lanes().lane("client")).build();
 * plane.send(instance, request, attempt).subscribe(subscriber);
 * }</pre>
 *
 * <p>A failure before {@link io.dynamo4j.plane.AttemptListener#streamOpened} is one of a new
 * request, any later one of an ongoing request.
 *
 * <p>Events are published by scope and topic, at most once, and a loss shows as a gap:
 *
 * <pre>{@code
 * EventScope scope = new EventScope.Endpoint("prod", "worker", "generate");
 * EventSubscription events =
 *     plane.subscribe(scope, "kv-events", lane, envelope -> index.apply(envelope.payload()));
 * plane.publisher(scope, "kv-events", publisherId).publish(payload);
 * }</pre>
 *
 * <p>{@link io.dynamo4j.plane.WorkerDirectory} says who is registered; whether a worker failed just
 * now or drains is {@link io.dynamo4j.plane.WorkerHealth}'s. The contracts in {@code
 * dynamo-testkit} hold every implementation to what is written here.
 */
@NullMarked
package io.dynamo4j.plane;

import org.jspecify.annotations.NullMarked;
