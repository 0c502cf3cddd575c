// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.fleet;

import io.dynamo4j.simulation.fleet.FleetConfig;
import io.dynamo4j.simulation.fleet.FleetPolicy;
import io.dynamo4j.simulation.fleet.FleetResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** The run as one self-contained page: charts over time, load per worker, kills and migrations. */
final class HtmlReport {
  private static final String STYLE =
      """
      body{font:15px/1.5 system-ui,sans-serif;max-width:1020px;margin:2rem auto;padding:0 1rem;color:#1c2330}
      h1{font-size:1.5rem;margin-bottom:0}h2{font-size:1.1rem;margin:2rem 0 .3rem}
      p{margin:.3rem 0 .6rem;color:#4a5568}svg{width:100%;height:auto;background:#fbfcfe;border:1px solid #e3e8f0}
      svg text{font:11px system-ui,sans-serif;fill:#4a5568}.grid{stroke:#e3e8f0}
      pre{background:#f5f7fb;padding:1rem;overflow:auto;font-size:13px;line-height:1.35}
      .key span{display:inline-block;margin-right:1.2rem}.key i{display:inline-block;width:.8rem;height:.8rem;margin-right:.35rem}
      """;

  private final DemoTrace trace;
  private final FleetConfig config;
  private final List<PolicyOutcome> outcomes;
  private final double endSeconds;
  private final List<TimeBuckets> buckets = new ArrayList<>();

  private HtmlReport(DemoTrace trace, FleetConfig config, List<PolicyOutcome> outcomes) {
    this.trace = trace;
    this.config = config;
    this.outcomes = outcomes;
    this.endSeconds =
        outcomes.stream().mapToDouble(o -> o.result().endNanos() / 1e9).max().orElse(1);
    outcomes.forEach(o -> buckets.add(new TimeBuckets(o.result(), endSeconds)));
  }

  static String of(DemoTrace trace, FleetConfig config, List<PolicyOutcome> outcomes) {
    return new HtmlReport(trace, config, outcomes).render();
  }

  private String render() {
    StringBuilder page = new StringBuilder(1 << 16);
    page.append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    page.append(
        "<meta name=\"viewport\" content=\"width=device-width\"><title>dynamo4j fleet</title>");
    page.append("<style>" + STYLE + "</style></head><body>");
    page.append("<h1>One trace, " + outcomes.size() + " policies</h1>");
    page.append("<p>" + escape(headline()) + "</p>" + key());
    section(
        page,
        "Prefix-hit rate over time",
        "Reused input tokens in percent of input tokens, by arrival.");
    page.append(overTime(TimeBuckets::hitPercent, "percent"));
    section(
        page,
        "Time to first token over time",
        "Mean over the arrivals of each slice, in milliseconds.");
    page.append(overTime(TimeBuckets::ttftMillis, "ms"));
    section(page, "Load per worker", "Requests for which each worker was chosen first.");
    page.append(load());
    section(
        page,
        "Kills and migrations",
        "Outlined: a worker dies, the larger the more streams it breaks. Plain: such a stream goes on elsewhere. A line a policy in each worker's band.");
    page.append(timeline());
    section(page, "Figures", "");
    page.append("<pre>" + escape(SummaryTable.of(trace, outcomes)) + "</pre></body></html>\n");
    return page.toString();
  }

  private String headline() {
    return String.format(
        Locale.ROOT,
        "%s: %,d requests on %d workers of %,d blocks, seed %d, kill every %d requests, migration limit %d.",
        trace.name(),
        trace.rows().size(),
        config.workers(),
        config.blocks(),
        config.seed(),
        config.killEvery(),
        config.migrationLimit());
  }

  private String key() {
    StringBuilder key = new StringBuilder("<p class=\"key\">");
    for (PolicyOutcome outcome : outcomes) {
      key.append(
          "<span><i style=\"background:"
              + colour(outcome.policy())
              + "\"></i>"
              + outcome.policy().optionName()
              + "</span>");
    }
    return key.append("</p>").toString();
  }

  private static void section(StringBuilder page, String title, String lead) {
    page.append("<h2>" + title + "</h2>");
    if (!lead.isEmpty()) {
      page.append("<p>" + lead + "</p>");
    }
  }

  private String overTime(Function<TimeBuckets, double[]> values, String unit) {
    double max = 0;
    for (TimeBuckets bucket : buckets) {
      max =
          Math.max(
              max,
              Arrays.stream(values.apply(bucket)).filter(v -> !Double.isNaN(v)).max().orElse(0));
    }
    SvgPlot plot = new SvgPlot(endSeconds, max);
    for (int i = 0; i < outcomes.size(); i++) {
      TimeBuckets bucket = buckets.get(i);
      plot.line(bucket.middleSeconds(), values.apply(bucket), colour(outcomes.get(i).policy()));
    }
    return plot.render("virtual seconds", unit);
  }

  private String load() {
    int most =
        outcomes.stream()
            .flatMapToInt(o -> Arrays.stream(o.result().requestsPerWorker()))
            .max()
            .orElse(1);
    SvgPlot plot = new SvgPlot(config.workers(), most);
    double width = 0.8 / outcomes.size();
    for (int i = 0; i < outcomes.size(); i++) {
      int[] perWorker = outcomes.get(i).result().requestsPerWorker();
      FleetPolicy policy = outcomes.get(i).policy();
      for (int worker = 0; worker < perWorker.length; worker++) {
        double from = worker + 0.1 + i * width;
        String title = policy.optionName() + ", worker " + worker + ": " + perWorker[worker];
        plot.bar(from, from + width * 0.9, perWorker[worker], colour(policy), title);
      }
    }
    return plot.render("worker", "requests");
  }

  /** Each worker is a band, each policy a line of it, so that runs do not hide each other. */
  private String timeline() {
    SvgPlot plot = new SvgPlot(endSeconds, config.workers());
    for (int i = 0; i < outcomes.size(); i++) {
      FleetPolicy policy = outcomes.get(i).policy();
      FleetResult result = outcomes.get(i).result();
      double line = (i + 0.5) / outcomes.size();
      for (FleetResult.Migration migration : result.migrations()) {
        String title =
            String.format(
                Locale.ROOT,
                "%s: request %d goes on after %d tokens",
                policy.optionName(),
                migration.row(),
                migration.keptTokens());
        double seconds = (migration.atNanos() + Math.max(0, migration.gapNanos())) / 1e9;
        double height = migration.fromWorker() + line + 0.4 / outcomes.size();
        plot.dot(seconds, height, 2, colour(policy), false, title);
      }
      for (FleetResult.Kill kill : result.kills()) {
        String title =
            String.format(
                Locale.ROOT,
                "%s: worker %d dies at %.1f s with %d open streams",
                policy.optionName(),
                kill.worker(),
                kill.atNanos() / 1e9,
                kill.openStreams());
        double radius = 1.5 + Math.sqrt(kill.openStreams());
        plot.dot(kill.atNanos() / 1e9, kill.worker() + line, radius, colour(policy), true, title);
      }
    }
    return plot.render("virtual seconds", "worker");
  }

  private static String colour(FleetPolicy policy) {
    return switch (policy) {
      case KV -> "#1769e0";
      case KV_PREDICTED -> "#c0392b";
      case KV_APPROXIMATE -> "#12a3b4";
      case ROUND_ROBIN -> "#d9822b";
      case RANDOM -> "#8f4fd1";
      case LEAST_LOADED -> "#2e9e6b";
    };
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
