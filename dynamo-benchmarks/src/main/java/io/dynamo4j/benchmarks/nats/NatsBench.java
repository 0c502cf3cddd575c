// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.nats;

import io.dynamo4j.benchmarks.Bench;
import io.dynamo4j.benchmarks.BenchOptions;
import io.dynamo4j.benchmarks.BenchResult;
import io.dynamo4j.benchmarks.BenchResult.Fact;
import io.dynamo4j.benchmarks.BenchResult.Row;
import io.dynamo4j.testkit.blocking.server.NatsServerProcess;
import io.nats.client.JetStreamApiException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Events from a NATS server into the tree, against a loop of the bare client that reads the same
 * bytes and forgets them; and the start of a router from a snapshot, against reading it. The server
 * is started for it.
 */
public final class NatsBench implements Bench {
  private final boolean isOfStartsOnly;

  private NatsBench(boolean isOfStartsOnly) {
    this.isOfStartsOnly = isOfStartsOnly;
  }

  /** Returns the benchmark of everything. */
  public static NatsBench all() {
    return new NatsBench(false);
  }

  /** Returns the benchmark of starts alone. */
  public static NatsBench starts() {
    return new NatsBench(true);
  }

  @Override
  public String name() {
    return isOfStartsOnly ? "nats-start" : "nats";
  }

  @Override
  public String description() {
    return isOfStartsOnly
        ? "starts from a snapshot in NATS alone, a part of nats"
        : "events from NATS to tree and starts from a snapshot, against the bare client";
  }

  @Override
  public BenchResult run(BenchOptions options) {
    if (!NatsServerProcess.isInstalled()) {
      throw new IllegalStateException(
          "install nats-server (Debian, Ubuntu: apt-get install nats-server)");
    }
    List<Row> rows = new ArrayList<>();
    List<Fact> facts = new ArrayList<>();
    try {
      Path storage = Files.createTempDirectory("bench-nats-");
      try (NatsServerProcess server = NatsServerProcess.startWithStorage(storage)) {
        if (!isOfStartsOnly) {
          new EventRounds(server.url(), options.quick()).measure(rows, facts);
        }
        new SnapshotRounds(server.url(), options.quick()).measure(rows, facts);
      } finally {
        delete(storage);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while measuring", e);
    } catch (JetStreamApiException | NoSuchAlgorithmException e) {
      throw new IllegalStateException("the bare client cannot read the snapshot", e);
    }
    return new BenchResult(rows, facts);
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
