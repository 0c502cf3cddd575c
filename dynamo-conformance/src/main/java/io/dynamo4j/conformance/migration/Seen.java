// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import java.util.List;
import java.util.Map;

/**
 * What can be seen of a case, whoever served it.
 *
 * @param dispatches for each request that reached a worker, what each worker received, in order;
 *     the requests sorted
 * @param events what came of each of those dispatches in its worker
 * @param answers what each client got
 * @param counters migrations, recoveries and excesses of the length cap, by metric and labels
 * @param outputTokens how many tokens came to clients; in a stream, in pieces that show something
 * @param outcomes how many requests ended how
 */
record Seen(
    List<List<String>> dispatches,
    List<List<String>> events,
    List<Answer> answers,
    Map<String, Long> counters,
    long outputTokens,
    Map<String, Long> outcomes) {}
