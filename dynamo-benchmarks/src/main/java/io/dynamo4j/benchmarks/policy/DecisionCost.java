// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.policy;

import io.dynamo4j.benchmarks.BenchOptions;
import io.dynamo4j.benchmarks.BenchResult.Row;
import io.dynamo4j.benchmarks.JmhRounds;
import java.util.ArrayList;
import java.util.List;

/** What a decision of one policy costs against one of the other, in the same run. */
final class DecisionCost {

  private DecisionCost() {}

  static List<Row> measure(BenchOptions options) {
    List<String> fleets =
        options.quick()
            ? List.of("8x4")
            : List.of("8x768", "64x768", "1024x768", "8x4", "64x4", "1024x4");
    List<Row> rows = new ArrayList<>();
    JmhRounds.of(PolicyDecisionBenchmark.class, options)
        .compare("fleet", fleets)
        .forEach(
            (fleet, medians) ->
                rows.add(
                    Row.lowerIsBetter(
                        "policy decision, ranks x blocks " + fleet, medians[0], medians[1], "us")));
    return rows;
  }
}
