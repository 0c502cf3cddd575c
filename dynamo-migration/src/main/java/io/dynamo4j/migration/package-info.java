// SPDX-License-Identifier: Apache-2.0
/**
 * The migrator: one unbroken stream of tokens over any number of attempts.
 *
 * <p>{@link io.dynamo4j.migration.Migrator} sits above a {@code RequestDispatcher}. When an
 * attempt's worker fails, it sends the request, grown by the tokens that the client already has, to
 * another worker, and the client's stream goes on.
 */
@NullMarked
package io.dynamo4j.migration;

import org.jspecify.annotations.NullMarked;
