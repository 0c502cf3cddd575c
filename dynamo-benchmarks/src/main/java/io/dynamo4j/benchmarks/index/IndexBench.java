// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.benchmarks.AllocatedBytes;
import io.dynamo4j.benchmarks.Bench;
import io.dynamo4j.benchmarks.BenchOptions;
import io.dynamo4j.benchmarks.BenchResult;
import io.dynamo4j.benchmarks.BenchResult.Fact;
import io.dynamo4j.benchmarks.BenchResult.Row;
import io.dynamo4j.benchmarks.ChecksumMismatchException;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.tree.RadixTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Lookup, apply and memory of the tree on the neutral log of a trace, beside Dynamo's production
 * tree on the same log. Without the trace or cargo a small built-in log gives facts alone.
 */
public final class IndexBench implements Bench {
  private static final int QUERIES = 20_000;
  private static final int VERIFIED_QUERIES = 300;
  private static final int ROUNDS = 10;

  /** A log of the conversation trace and the checksum that it must have. */
  private record Known(LogShape shape, long checksum) {}

  private static final List<Known> CONVERSATION =
      List.of(
          new Known(LogShape.of(1, 8), 0xda9738ef525f0587L),
          new Known(LogShape.of(4, 64), 0xe6d0826a27b74ebcL),
          new Known(LogShape.of(4, 1024), 0xf072ce066069a546L));

  @Override
  public String name() {
    return "index";
  }

  @Override
  public String description() {
    return "lookup, apply and memory of the tree, against Dynamo's own on the same log";
  }

  @Override
  public BenchResult run(BenchOptions options) {
    List<Row> rows = new ArrayList<>();
    List<Fact> facts = new ArrayList<>();
    try {
      Path trace = shared().resolve("data/traces/conversation_trace.jsonl");
      if (options.quick() || !Files.exists(trace)) {
        measureBuiltIn(facts);
      } else {
        Optional<Comparator> comparator =
            Comparator.find(shared().resolve("tools/rust-comparator"), System.getenv());
        List<long[]> hashIds = TraceHashes.read(trace);
        for (Known known : CONVERSATION) {
          measure(trace, hashIds, known, comparator, rows, facts);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
    return new BenchResult(rows, facts);
  }

  private static Path shared() {
    @Nullable String named =
        System.getProperty("dynamo4j.shared", System.getenv("DYNAMO4J_SHARED"));
    if (named != null && !named.isEmpty()) {
      return Path.of(named);
    }
    @Nullable String root = System.getProperty("dynamo4j.root");
    return root == null ? Path.of("../shared") : Path.of(root).resolveSibling("shared");
  }

  private static void measureBuiltIn(List<Fact> facts) {
    List<long[]> rows = new ArrayList<>();
    for (int row = 0; row < 300; row++) {
      long[] ids = new long[1 + row * 7 % 40];
      for (int i = 0; i < ids.length; i++) {
        ids[i] = i < 6 ? i : row % 30 * 100L + i;
      }
      rows.add(ids);
    }
    for (LogShape.Evict evict : LogShape.Evict.values()) {
      LogShape shape = new LogShape(1, 4, 8, 500, 10, evict);
      IndexRun run = verified(OperationLog.of(rows, shape));
      facts.add(
          new Fact(
              "lookup, built-in log, evict " + evict,
              run.lookupNanos(OperationLog.of(rows, shape).residentQueries(QUERIES), 3),
              "ns"));
    }
    facts.add(allocation());
  }

  private static void measure(
      Path trace,
      List<long[]> hashIds,
      Known known,
      Optional<Comparator> comparator,
      List<Row> rows,
      List<Fact> facts)
      throws IOException, InterruptedException {
    OperationLog log = OperationLog.of(hashIds, known.shape);
    String label = "conversation " + known.shape.label();
    ChecksumMismatchException.requireEqual(label + " log", log.checksum(), known.checksum);
    IndexRun run = verified(log);
    List<JsonNode> theirs =
        comparator.isEmpty() ? List.of() : comparator.get().run(trace, known.shape, ROUNDS);
    IndexFigures figures = new IndexFigures(label, log, run, theirs, ROUNDS);
    figures.lookup("resident", log.residentQueries(QUERIES));
    figures.lookup("fresh", log.freshQueries(QUERIES));
    figures.apply();
    figures.memory();
    rows.addAll(figures.rows());
    facts.addAll(figures.facts());
  }

  /** Returns a run of which some scores have been compared with the caches behind the log. */
  private static IndexRun verified(OperationLog log) {
    IndexRun run = IndexRun.of(log);
    List<long[]> some = new ArrayList<>(log.residentQueries(VERIFIED_QUERIES));
    some.addAll(log.freshQueries(VERIFIED_QUERIES));
    ChecksumMismatchException.requireEqual("wrong scores", run.wrongScores(some), 0);
    return run;
  }

  private static Fact allocation() {
    RadixTree tree = RadixTree.create(1);
    OverlapScores out = OverlapScores.create();
    long[] query = {1, 2, 3};
    double bytes = AllocatedBytes.perRun(() -> tree.findMatches(query, query.length, out));
    return new Fact("lookup, allocation", bytes, "B");
  }
}
