// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import java.util.concurrent.Flow;

/**
 * The answer to one request: cold, for one subscriber, closed only by cancelling.
 *
 * <p>Nothing is sent before {@link #subscribe}. {@code onSubscribe} comes at once, before a worker
 * has opened the stream, so that a subscriber can cancel from the start. A second subscriber gets
 * {@code onError} with an {@link IllegalStateException}. Cancel reaches the worker. Exactly one
 * terminal signal arrives, none after a cancel; errors are {@link
 * io.dynamo4j.core.model.DynamoException}s.
 *
 * <p><b>Threads.</b> {@code subscribe}, {@code request} and {@code cancel} may be called from
 * anywhere. All signals come from one lane, never inline from {@code subscribe}, {@code request} or
 * {@code cancel}.
 *
 * @param <T> item type
 */
public interface ResponseStream<T> extends Flow.Publisher<T> {}
