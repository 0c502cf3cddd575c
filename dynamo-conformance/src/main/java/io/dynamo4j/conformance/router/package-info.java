// SPDX-License-Identifier: Apache-2.0
/** Recorded runs of the peer's router: events, decisions, bookings, waiting requests. */
@NullMarked
package io.dynamo4j.conformance.router;

import org.jspecify.annotations.NullMarked;
