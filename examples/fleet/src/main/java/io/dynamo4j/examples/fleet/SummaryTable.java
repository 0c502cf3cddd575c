// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.fleet;

import io.dynamo4j.simulation.fleet.FleetResult;
import io.dynamo4j.simulation.fleet.Percentiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** The run as one table: a row a figure, a column a policy. */
final class SummaryTable {
  private final List<PolicyOutcome> outcomes;
  private final List<String[]> lines = new ArrayList<>();

  private SummaryTable(List<PolicyOutcome> outcomes) {
    this.outcomes = outcomes;
  }

  static String of(DemoTrace trace, List<PolicyOutcome> outcomes) {
    SummaryTable table = new SummaryTable(outcomes);
    table.line("", outcome -> outcome.policy().optionName());
    table.figures(trace);
    return table.render();
  }

  private void figures(DemoTrace trace) {
    result("prefix-hit rate", r -> percent(r.hitRate()));
    if (outcomes.stream().anyMatch(outcome -> outcome.simulatedHitRate().isPresent())) {
      line("  in virtual time", outcome -> percent(outcome.simulatedHitRate().orElse(0)));
    }
    result("  ceiling (one infinite cache)", r -> percent(trace.ceilingHitRate()));
    percentiles("TTFT ms", FleetResult::ttft);
    result("ITL ms, mean", r -> millis(r.meanItlMillis()));
    result("migration gap ms, p50", r -> gap(r, 0.5));
    result("                  p99", r -> gap(r, 0.99));
    result("requests a worker, min–max", SummaryTable::loadSpread);
    result("workers killed", r -> count(r.kills().size()));
    result("migrations, new request", r -> count(r.newRequestMigrations()));
    result("            ongoing request", r -> count(r.ongoingMigrations()));
    result("streams completed", r -> count(r.completedStreams()));
    result("        failed", r -> count(r.failedStreams()));
    result("tokens delivered", r -> count(r.tokens().delivered()));
    result("       lost", r -> count(r.tokens().lost()));
    result("       repeated", r -> count(r.tokens().repeated()));
    result("       wrong", r -> count(r.tokens().wrong()));
    result("saved by continuing, generated tokens", r -> count(r.keptTokens()));
    result("                     prefill tokens", r -> count(r.continuationReusedTokens()));
  }

  private void percentiles(String name, Function<FleetResult, Percentiles> of) {
    String indent = " ".repeat(name.length());
    result(name + ", mean", r -> ofSample(of.apply(r), of.apply(r).mean()));
    result(indent + "  p50", r -> ofSample(of.apply(r), of.apply(r).at(0.5)));
    result(indent + "  p99", r -> ofSample(of.apply(r), of.apply(r).at(0.99)));
  }

  private void result(String name, Function<FleetResult, String> cell) {
    line(name, outcome -> cell.apply(outcome.result()));
  }

  private void line(String name, Function<PolicyOutcome, String> cell) {
    String[] line = new String[outcomes.size() + 1];
    line[0] = name;
    for (int i = 0; i < outcomes.size(); i++) {
      line[i + 1] = cell.apply(outcomes.get(i));
    }
    lines.add(line);
  }

  private String render() {
    int[] widths = new int[outcomes.size() + 1];
    for (String[] line : lines) {
      for (int i = 0; i < line.length; i++) {
        widths[i] = Math.max(widths[i], line[i].length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (String[] line : lines) {
      StringBuilder row = new StringBuilder(pad(line[0], widths[0], false));
      for (int i = 1; i < line.length; i++) {
        row.append("  ").append(pad(line[i], widths[i], true));
      }
      text.append(row.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  private static String pad(String text, int width, boolean right) {
    String space = " ".repeat(width - text.length());
    return right ? space + text : text + space;
  }

  private static String loadSpread(FleetResult result) {
    int[] perWorker = result.requestsPerWorker();
    return count(Arrays.stream(perWorker).min().orElse(0))
        + "–"
        + count(Arrays.stream(perWorker).max().orElse(0));
  }

  private static String gap(FleetResult result, double q) {
    Percentiles gaps = result.migrationGap();
    return ofSample(gaps, gaps.at(q));
  }

  private static String ofSample(Percentiles sample, double value) {
    return sample.count() == 0 ? "–" : millis(value);
  }

  private static String percent(double fraction) {
    return String.format(Locale.ROOT, "%.2f %%", fraction * 100);
  }

  private static String millis(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  private static String count(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }
}
