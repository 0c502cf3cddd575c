// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/** Looks for faults of a few kinds; a function of the window alone. */
interface HealthCheck {

  void check(HealthWindow window, FoundFaults found);
}
