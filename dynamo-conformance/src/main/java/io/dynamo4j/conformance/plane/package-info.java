// SPDX-License-Identifier: Apache-2.0
/** Readers of what routers and workers exchange: the event plane and recovery. */
@NullMarked
package io.dynamo4j.conformance.plane;

import org.jspecify.annotations.NullMarked;
