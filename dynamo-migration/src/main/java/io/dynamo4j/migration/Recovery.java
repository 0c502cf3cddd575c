// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

/**
 * The search for another worker, from the failure that began it until a stream opens.
 *
 * @param trigger the failure that began it
 * @param startNanos when that was noticed
 */
record Recovery(Loss trigger, long startNanos) {}
