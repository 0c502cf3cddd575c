// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.benchmarks.comparator.Comparator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** One run of Dynamo's production tree on a log, with its clean-up done before the lookups. */
final class TheirRound {
  private final List<JsonNode> measurements;

  private TheirRound(List<JsonNode> measurements) {
    this.measurements = measurements;
  }

  /** Takes what was measured elsewhere. */
  static TheirRound of(List<JsonNode> measurements) {
    return new TheirRound(List.copyOf(measurements));
  }

  /** Runs the modes named with one event thread, the least of some passes each. */
  static TheirRound run(Comparator comparator, IndexOptions.Target target, String modes, int passes)
      throws IOException, InterruptedException {
    return run(comparator, target, modes, 1, passes);
  }

  /** Runs the modes named, the least of some passes each. */
  static TheirRound run(
      Comparator comparator, IndexOptions.Target target, String modes, int threads, int passes)
      throws IOException, InterruptedException {
    LogShape shape = target.shape();
    List<String> arguments = new ArrayList<>();
    add(arguments, "--trace", target.trace().toString());
    add(arguments, "--copies", "" + shape.copies());
    add(arguments, "--factor", "" + shape.factor());
    add(arguments, "--workers", "" + shape.workers());
    add(arguments, "--capacity", "" + shape.capacity());
    add(arguments, "--holdout", "" + shape.holdOut());
    add(arguments, "--assign", shape.assign().toString());
    add(arguments, "--evict", shape.evict().toString());
    add(arguments, "--mode", modes);
    add(arguments, "--index", "crtc");
    add(arguments, "--threads", "" + threads);
    add(arguments, "--sweep", "yes");
    add(arguments, "--queries", "" + QuerySet.LIMIT);
    add(arguments, "--rounds", "" + passes);
    return new TheirRound(comparator.run(arguments));
  }

  private static void add(List<String> arguments, String name, String value) {
    arguments.add(name);
    arguments.add(value);
  }

  String logChecksum() throws IOException {
    return trimmed(Comparator.find(measurements, "mode", "log").path("checksum").asText());
  }

  String answersChecksum(String set) throws IOException {
    return trimmed(lookup(set).path("result_checksum").asText());
  }

  /** The comparator pads with zeros, this program does not. */
  private static String trimmed(String hex) {
    return Long.toHexString(Long.parseUnsignedLong(hex, 16));
  }

  double lookupNanos(String set) throws IOException {
    return lookup(set).path("cpu_mean_ns").path("min").asDouble();
  }

  private JsonNode lookup(String set) throws IOException {
    return Comparator.find(measurements, "mode", "lookup", "set", set);
  }

  double applyWallPerBlock() throws IOException {
    return figure("apply", "ns_per_block", "min");
  }

  double applyCpuPerBlock() throws IOException {
    return figure("apply", "cpu_ns_per_block", "min");
  }

  double bytesPerMembership() throws IOException {
    return Comparator.find(measurements, "mode", "memory")
        .path("per_membership_after_sweep")
        .asDouble();
  }

  /** Returns whether it read beside a writer; it does not where the log has no unseen queries. */
  boolean hasMixed() {
    return measurements.stream()
        .anyMatch(measurement -> measurement.path("mode").asText().equals("mixed"));
  }

  double mixed(String name) throws IOException {
    return figure("mixed", name, "median");
  }

  private double figure(String mode, String name, String statistic) throws IOException {
    return Comparator.find(measurements, "mode", mode).path(name).path(statistic).asDouble();
  }

  /** Returns how many of the queries that it checked itself had a wrong score, over all sets. */
  int wrongQueries() {
    return measurements.stream()
        .filter(measurement -> measurement.path("mode").asText().equals("verify"))
        .mapToInt(measurement -> measurement.path("wrong_queries").asInt())
        .sum();
  }
}
