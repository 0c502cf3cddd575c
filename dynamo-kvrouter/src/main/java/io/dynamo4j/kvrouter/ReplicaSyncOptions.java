// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventScope;
import java.time.InstantSource;

/**
 * Where a router meets others, and who it is there.
 *
 * @param wallClock what the stamps of others' messages are compared with
 * @param seed mixes numbers of routers in tables
 */
record ReplicaSyncOptions(
    EventPlane plane,
    EventScope scope,
    Scheduler lane,
    InstantSource wallClock,
    long routerId,
    long publisherId,
    long seed) {}
