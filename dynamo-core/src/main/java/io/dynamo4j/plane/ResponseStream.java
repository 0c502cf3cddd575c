// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import java.util.concurrent.Flow;

/**
 * The answer to one request: cold, for one subscriber, closed only by cancelling.
 *
 * <p>Nothing is sent before {@link #subscribe}. {@code onSubscribe} comes at once, before a worker
 * has opened the stream, so that a subscriber can cancel from the start. A second subscriber gets
 * {@code onSubscribe} and then {@code onError} with an {@link IllegalStateException}. Exactly one
 * terminal signal arrives, none after a cancel. Items arrive as asked for; completion and errors
 * need no demand.
 *
 * <p><b>Errors.</b> What goes wrong with the request is a {@link
 * io.dynamo4j.core.model.DynamoException}; {@code request} of zero or less is an {@link
 * IllegalArgumentException}. Either way the error may overtake items that nobody has asked for yet.
 *
 * <p><b>Cancel</b> reaches the worker: by the subscription, by {@code request} of zero or less, and
 * by a subscriber that throws from {@code onSubscribe} or {@code onNext}. Such a subscriber gets no
 * further signal; what it threw goes to the lane's failure handler.
 *
 * <p><b>Threads.</b> {@code subscribe}, {@code request} and {@code cancel} may be called from
 * anywhere. All signals come from one lane, never inline from {@code subscribe}, {@code request} or
 * {@code cancel}. If that lane is closed, {@code subscribe} throws {@link
 * java.util.concurrent.RejectedExecutionException}, nothing is sent and no signal comes; if it
 * closes later, the worker sees a cancel.
 *
 * @param <T> item type
 */
public interface ResponseStream<T> extends Flow.Publisher<T> {}
