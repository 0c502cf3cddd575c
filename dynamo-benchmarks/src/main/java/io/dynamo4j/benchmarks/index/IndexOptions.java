// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import io.dynamo4j.benchmarks.SharedFolder;
import io.dynamo4j.benchmarks.index.LogShape.Assign;
import io.dynamo4j.benchmarks.index.LogShape.Evict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which logs the index is measured on: one trace with the options below, or the usual four. */
public final class IndexOptions {
  static final int MIN_ROUNDS = 10;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description = "JSON lines with hash_ids; without it four usual logs are measured.")
  private @Nullable Path trace;

  @Option(names = "--copies", description = "Salted copies of every row, default 1.")
  private @Nullable Integer copies;

  @Option(names = "--factor", description = "Blocks made of every hash id, default 1.")
  private @Nullable Integer factor;

  @Option(
      names = "--workers",
      split = ",",
      paramLabel = "N",
      description = "Workers, default 64; several numbers measure several logs.")
  private @Nullable List<Integer> workers;

  @Option(names = "--capacity", description = "Blocks of a worker's cache, default 16384.")
  private @Nullable Integer capacity;

  @Option(
      names = "--holdout",
      description = "The last 1/N requests are lookups only, default 10; 0: none.")
  private @Nullable Integer holdOut;

  @Option(names = "--assign", description = "Worker of a request: rr (default) or sticky.")
  private @Nullable Assign assign;

  @Option(
      names = "--evict",
      description = "End of a prompt that leaves first: tail (default) or head.")
  private @Nullable Evict evict;

  @Option(names = "--rounds", description = "Rounds of each side, at least 10 (default).")
  private @Nullable Integer rounds;

  /** One log to measure. */
  record Target(Path trace, LogShape shape) {
    String label() {
      String name = trace.getFileName().toString().replace(".jsonl", "").replace("_trace", "");
      return name.replace('_', '-') + " " + shape.label();
    }
  }

  /** Returns whether any of these options was given. */
  public boolean isGiven() {
    return trace != null || rounds != null || isShapeGiven();
  }

  private boolean isShapeGiven() {
    return copies != null
        || factor != null
        || workers != null
        || capacity != null
        || holdOut != null
        || assign != null
        || evict != null;
  }

  /**
   * Checks the options against each other and the file system.
   *
   * @throws IllegalArgumentException naming the first that is wrong
   */
  public void validate() {
    if (trace == null && isShapeGiven()) {
      throw new IllegalArgumentException("options of a log need its trace: --trace is missing");
    }
    if (rounds() < MIN_ROUNDS) {
      throw new IllegalArgumentException(
          "too few rounds: --rounds=" + rounds + ", least=" + MIN_ROUNDS);
    }
    if (trace != null) {
      if (!Files.isReadable(trace) || Files.isDirectory(trace)) {
        throw new IllegalArgumentException("trace cannot be read: --trace=" + trace);
      }
      shapes();
      readable(trace);
    }
  }

  private static void readable(Path trace) {
    try {
      TraceHashes.read(trace);
    } catch (IOException e) {
      throw new IllegalArgumentException("trace cannot be read: --trace=" + trace, e);
    }
  }

  int rounds() {
    return rounds == null ? MIN_ROUNDS : rounds;
  }

  /** Returns the logs to measure that there are traces for. */
  List<Target> targets() {
    List<Target> targets = new ArrayList<>();
    if (trace != null) {
      Path given = trace;
      shapes().forEach(shape -> targets.add(new Target(given, shape)));
      return targets;
    }
    addUsual(targets, "conversation_trace.jsonl", LogShape.of(1, 4, 64));
    addUsual(targets, "conversation_trace.jsonl", LogShape.of(1, 4, 1024));
    addUsual(targets, "mooncake_trace_1000.jsonl", LogShape.of(100, 4, 64));
    addUsual(targets, "synthetic_trace.jsonl", LogShape.of(40, 1, 64));
    return targets;
  }

  /** Returns the logs that a quick check builds: the one given, or small ones on record. */
  List<Target> quickTargets() {
    if (trace != null) {
      return targets();
    }
    List<Target> targets = new ArrayList<>();
    addUsual(targets, "conversation_trace.jsonl", LogShape.of(1, 1, 8));
    addUsual(targets, "conversation_trace.jsonl", LogShape.of(1, 1, 64));
    return targets;
  }

  private static void addUsual(List<Target> targets, String name, LogShape shape) {
    Path file = SharedFolder.path("data/traces/" + name);
    if (Files.exists(file)) {
      targets.add(new Target(file, shape));
    } else {
      SharedFolder.requireUnlessOptional(file);
    }
  }

  private List<LogShape> shapes() {
    List<LogShape> shapes = new ArrayList<>();
    for (int count : workers == null ? List.of(64) : workers) {
      shapes.add(
          new LogShape(
              or(copies, 1),
              or(factor, 1),
              count,
              or(capacity, LogShape.DEFAULT_CAPACITY),
              or(holdOut, LogShape.DEFAULT_HOLD_OUT),
              assign == null ? Assign.RR : assign,
              evict == null ? Evict.TAIL : evict));
    }
    return shapes;
  }

  private static int or(@Nullable Integer value, int otherwise) {
    return value == null ? otherwise : value;
  }
}
