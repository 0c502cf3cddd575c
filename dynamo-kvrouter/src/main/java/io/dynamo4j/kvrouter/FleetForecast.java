// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/**
 * What a prediction takes from the whole fleet, the same for all ranks of one decision.
 *
 * @param prefillMillis time of a prefill whatever its length
 * @param prefillMillisPerToken time of each token of it
 * @param capacityPrice what a millisecond of prefill costs, because it makes later requests wait: 1
 *     where nobody waits
 * @param outputTokens mean length of answers
 * @param residenceMillis mean time from first token to end
 */
public record FleetForecast(
    double prefillMillis,
    double prefillMillisPerToken,
    double capacityPrice,
    double outputTokens,
    double residenceMillis) {}
