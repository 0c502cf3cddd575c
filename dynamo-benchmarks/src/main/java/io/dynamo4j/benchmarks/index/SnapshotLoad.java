// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.snapshot.IndexSnapshots;
import io.dynamo4j.indexer.snapshot.SnapshotSummary;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** An index written to a file and read into another, against a copy of that file. */
final class SnapshotLoad {
  private static final int BUFFER_BYTES = 1 << 16;

  private final OperationLog log;

  SnapshotLoad(OperationLog log) {
    this.log = log;
  }

  IndexerFigures.Snapshot round() {
    try (RealEnvironment environment = RealEnvironment.create();
        KvIndexer index = IndexerApply.index(environment.environment(), 1)) {
      log.events().forEach(index::submit);
      index.flush().toCompletableFuture().join();
      Path folder = Files.createTempDirectory("dynamo4j-snapshot");
      try {
        return round(index, folder.resolve("snapshot"), folder.resolve("copy"), environment);
      } finally {
        Files.deleteIfExists(folder.resolve("snapshot"));
        Files.deleteIfExists(folder.resolve("copy"));
        Files.delete(folder);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Everything once unmeasured, then copy, write, load, and the copy again. */
  private static IndexerFigures.Snapshot round(
      KvIndexer index, Path file, Path copied, RealEnvironment environment) throws IOException {
    write(index, file);
    load(file, environment);
    copy(file, copied);
    double copy = copy(file, copied);
    long start = System.nanoTime();
    SnapshotSummary summary = write(index, file);
    double write = System.nanoTime() - start;
    double load = load(file, environment);
    copy = Math.min(copy, copy(file, copied));
    return new IndexerFigures.Snapshot(write, load, copy, Files.size(file), summary.blocks());
  }

  private static SnapshotSummary write(KvIndexer index, Path file) throws IOException {
    try (FileOutputStream out = new FileOutputStream(file.toFile())) {
      SnapshotSummary written = IndexSnapshots.write(index, out).toCompletableFuture().join();
      out.getFD().sync();
      return written;
    }
  }

  private static double load(Path file, RealEnvironment environment) throws IOException {
    try (KvIndexer index = IndexerApply.index(environment.environment(), 1)) {
      long start = System.nanoTime();
      SnapshotSummary loaded =
          IndexSnapshots.load(index, () -> Files.newInputStream(file)).toCompletableFuture().join();
      double nanos = System.nanoTime() - start;
      if (index.status().blocks() != loaded.blocks()) {
        throw new IllegalStateException("load is not whole: status=" + index.status());
      }
      return nanos;
    }
  }

  private static double copy(Path from, Path to) throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    long start = System.nanoTime();
    try (InputStream in = Files.newInputStream(from);
        FileOutputStream out = new FileOutputStream(to.toFile())) {
      copy(in, out, buffer);
      out.getFD().sync();
    }
    return System.nanoTime() - start;
  }

  private static void copy(InputStream in, OutputStream out, byte[] buffer) throws IOException {
    for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
      out.write(buffer, 0, read);
    }
  }
}
