// SPDX-License-Identifier: Apache-2.0
/**
 * The hashes that Dynamo's router and its workers agree on, bit for bit.
 *
 * <p>A hash is a {@code long} bit pattern, unsigned in text. {@link
 * io.dynamo4j.core.hash.BlockHasher} turns tokens into local block hashes (content of one block),
 * {@link io.dynamo4j.core.hash.SequenceHasher} chains those into sequence hashes (content of the
 * whole prefix). Everything here is immutable and safe for concurrent use.
 */
@NullMarked
package io.dynamo4j.core.hash;

import org.jspecify.annotations.NullMarked;
