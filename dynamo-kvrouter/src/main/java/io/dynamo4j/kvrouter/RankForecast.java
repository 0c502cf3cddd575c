// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/**
 * What a prediction takes from one rank.
 *
 * @param queueMillis prefill work ahead
 * @param waitingRequests bookings without a first token
 * @param decodingRequests bookings beyond it
 * @param bookedTokens prompt tokens of all bookings
 * @param slowdown by what its prefills take longer than the fleet's
 */
public record RankForecast(
    double queueMillis,
    int waitingRequests,
    int decodingRequests,
    long bookedTokens,
    double slowdown) {}
