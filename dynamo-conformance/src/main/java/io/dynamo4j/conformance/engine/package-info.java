// SPDX-License-Identifier: Apache-2.0
/** Readers of what engines publish and of what routers are told about it. */
@NullMarked
package io.dynamo4j.conformance.engine;

import org.jspecify.annotations.NullMarked;
