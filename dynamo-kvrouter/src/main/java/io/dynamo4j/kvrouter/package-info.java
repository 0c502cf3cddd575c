// SPDX-License-Identifier: Apache-2.0
/**
 * Chooses a worker for each request by cached prefix and live load, books the choice, dispatches.
 *
 * <p>{@link io.dynamo4j.kvrouter.KvRouter} decides and books in one step; {@link
 * io.dynamo4j.kvrouter.KvDispatcher} and {@link io.dynamo4j.kvrouter.PoolDispatcher} put a policy
 * behind a {@link io.dynamo4j.plane.RequestDispatcher}. Each part of a decision ({@link
 * io.dynamo4j.kvrouter.WorkerFilter}, {@link io.dynamo4j.kvrouter.WorkerScorer}, {@link
 * io.dynamo4j.kvrouter.WorkerPicker}, {@link io.dynamo4j.kvrouter.ActiveBlockTracker}) can be
 * replaced, and used alone.
 */
@NullMarked
package io.dynamo4j.kvrouter;

import org.jspecify.annotations.NullMarked;
