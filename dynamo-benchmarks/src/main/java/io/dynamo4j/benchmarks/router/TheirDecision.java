// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.router;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.benchmarks.comparator.Comparator;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What Dynamo's crate takes for the same: its production index from the default build, projection,
 * selection and booking from the build with the selector, one thread, CPU time.
 *
 * @param matchNanos a lookup of a prompt of which all workers hold a quarter
 * @param bookedNanos projection, selection and booking
 * @param endNanos first token and end
 * @param hashNanos local and sequence hashes of the prompt
 */
record TheirDecision(double matchNanos, double bookedNanos, double endNanos, double hashNanos) {

  static TheirDecision measure(Comparator index, Comparator selector, int workers)
      throws IOException, InterruptedException {
    JsonNode selected =
        Comparator.find(
            selector.run(List.of("--mode", "select", "--rounds", "5")),
            "workers",
            Integer.toString(workers),
            "block_size",
            "16");
    JsonNode hashed =
        Comparator.find(index.run(List.of("--mode", "hash", "--rounds", "5")), "block_size", "16");
    double perBlock = median(hashed, "ns_per_block") + median(hashed, "chain_ns_per_block");
    return new TheirDecision(
        match(index, workers),
        median(selected, "project_ns")
            + median(selected, "select_ns_temperature_0")
            + median(selected, "add_ns"),
        median(selected, "prefill_completed_ns") + median(selected, "free_ns"),
        perBlock * PromptHashes.BLOCKS);
  }

  double decisionNanos() {
    return matchNanos + bookedNanos;
  }

  private static double median(JsonNode measurement, String name) {
    return measurement.path(name).path("median").asDouble(Double.NaN);
  }

  private static double match(Comparator index, int workers)
      throws IOException, InterruptedException {
    Path trace = Files.createTempFile("prompts", ".jsonl");
    try {
      int standing = workers * RouterFleet.REQUESTS_PER_WORKER;
      write(trace, standing + workers);
      List<JsonNode> measured =
          index.run(
              List.of(
                  "--trace", trace.toString(),
                  "--workers", Integer.toString(workers),
                  "--holdout", "5",
                  "--assign", "rr",
                  "--mode", "memory,lookup",
                  "--index", "crtc",
                  "--sweep", "yes",
                  "--rounds", "5"));
      return median(Comparator.find(measured, "mode", "lookup", "set", "fresh"), "cpu_mean_ns");
    } finally {
      Files.delete(trace);
    }
  }

  /** Writes prompts of one id a block; the first quarter is the same in all. */
  private static void write(Path trace, int rows) throws IOException {
    long next = PromptHashes.SHARED_BLOCKS;
    try (BufferedWriter out = Files.newBufferedWriter(trace)) {
      for (int row = 0; row < rows; row++) {
        out.write("{\"timestamp\": " + row + ", \"input_length\": 12288, \"output_length\": 1, ");
        out.write("\"hash_ids\": [");
        for (int block = 0; block < PromptHashes.BLOCKS; block++) {
          long id = block < PromptHashes.SHARED_BLOCKS ? block : next++;
          out.write(block == 0 ? "" : ",");
          out.write(Long.toString(id));
        }
        out.write("]}\n");
      }
    }
  }
}
