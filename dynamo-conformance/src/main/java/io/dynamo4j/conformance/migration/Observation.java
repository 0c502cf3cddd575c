// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import java.util.List;
import java.util.Map;

/**
 * What can be seen of one request, whoever served it.
 *
 * @param dispatches each worker's view of the request: tokens and budgets
 * @param completed whether the client's stream ended without an error
 * @param texts the answers by choice, as far as the client got them
 * @param finishReasons in order
 * @param counters migrations, recoveries and excesses of the length cap, by metric and labels
 */
record Observation(
    List<String> dispatches,
    boolean completed,
    Map<Integer, String> texts,
    List<String> finishReasons,
    Map<String, Long> counters) {}
