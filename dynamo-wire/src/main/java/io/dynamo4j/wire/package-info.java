// SPDX-License-Identifier: Apache-2.0
/**
 * Every msgpack and JSON format that peers speak. Internal to the family: hosts never see it.
 *
 * <p>Decoders take bytes from strangers: they refuse by declared length before they allocate, skip
 * keys they do not know, and report what they refuse as counted results.
 */
@NullMarked
package io.dynamo4j.wire;

import org.jspecify.annotations.NullMarked;
