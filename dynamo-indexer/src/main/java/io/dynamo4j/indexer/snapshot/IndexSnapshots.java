// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.snapshot;

import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.KvIndexer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Writes what an index holds, and reads it back: versioned, checksummed, never more than one chunk
 * of it in memory besides the index.
 *
 * <p>Everything that a query can find is in a snapshot, all tiers; what decisions alone make expect
 * is not. A block below a device whose parent no tier holds any more counts again once the parent
 * is stored. Event ids and positions of sources are not either: after a load the sources' own
 * recovery says what has changed since.
 */
public final class IndexSnapshots {

  private IndexSnapshots() {}

  /**
   * Writes a snapshot; the stream stays open. Each lane's part is of one moment.
   *
   * @param out written to on the index's lanes, whose updates wait meanwhile: memory or a local
   *     file, not a slow peer
   * @return completes with what was written; exceptionally if the stream fails or the index closes
   */
  public static CompletionStage<SnapshotSummary> write(KvIndexer index, OutputStream out) {
    SnapshotWriter writer;
    try {
      writer = new SnapshotWriter(Objects.requireNonNull(out, "out"), index.blockSize());
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
    CompletableFuture<SnapshotSummary> written = new CompletableFuture<>();
    index
        .dump(writer::add)
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                written.completeExceptionally(failure);
                return;
              }
              try {
                written.complete(writer.end());
              } catch (IOException e) {
                written.completeExceptionally(e);
              }
            });
    return written.minimalCompletionStage();
  }

  /**
   * Checks a snapshot from its first byte to its last.
   *
   * @param blockSize tokens a block that it must have been written with
   * @throws SnapshotFormatException if it is truncated, corrupt, newer or foreign
   * @throws IOException if it cannot be read
   */
  public static SnapshotSummary verify(InputStream in, int blockSize) throws IOException {
    return new SnapshotReader(in, blockSize).skipToEnd(new LinkedHashMap<>());
  }

  /**
   * Begins to load a snapshot in pieces; empty if the index cannot keep it apart until it has been
   * checked as a whole.
   *
   * @param blocksPerRank about how many blocks the snapshot holds of each rank, a hint
   */
  public static Optional<SnapshotLoad> begin(KvIndexer index, long blocksPerRank) {
    return index.beginLoad().map(load -> new SnapshotLoad(index, load, blocksPerRank));
  }

  /**
   * Checks a snapshot as a whole, then adds what it holds to an index. What is refused leaves the
   * index as it was.
   *
   * @param input opened twice; checked on the caller's thread, read again there and on the index's
   *     lanes
   * @return completes when everything is visible to lookups; exceptionally if the index closes
   *     first
   * @throws SnapshotFormatException if the snapshot is truncated, corrupt, newer or foreign
   * @throws IOException if it cannot be read
   */
  public static CompletionStage<SnapshotSummary> load(KvIndexer index, SnapshotInput input)
      throws IOException {
    Map<WorkerWithDpRank, Long> deviceBlocks = new LinkedHashMap<>();
    try (InputStream in = input.open()) {
      new SnapshotReader(in, index.blockSize()).skipToEnd(deviceBlocks);
    }
    Loading loading = new Loading(index, input.open(), deviceBlocks);
    loading.goOn();
    return loading.done.minimalCompletionStage();
  }

  /** The second pass; goes on where the index has room again. One thread at a time. */
  private static final class Loading {
    private static final int EVENTS_AT_ONCE = 512;

    final CompletableFuture<SnapshotSummary> done = new CompletableFuture<>();
    private final KvIndexer index;
    private final InputStream in;
    private final SnapshotReader reader;
    // Of ranks of which nothing was handed in yet.
    private final Map<WorkerWithDpRank, Long> deviceBlocks;
    private @Nullable WorkerWithDpRank lastRank;

    Loading(KvIndexer index, InputStream in, Map<WorkerWithDpRank, Long> deviceBlocks)
        throws IOException {
      this.deviceBlocks = deviceBlocks;
      this.index = index;
      this.in = in;
      this.reader = new SnapshotReader(in, index.blockSize());
    }

    void goOn() {
      try {
        RouterEvent event = null;
        for (int i = 0; i < EVENTS_AT_ONCE && (event = reader.next()) != null; i++) {
          announce(event.worker());
          if (!index.submit(event)) {
            throw new IOException("index took no event: status=" + index.status());
          }
        }
        boolean isLast = event == null;
        index
            .flush()
            .whenComplete(
                (passed, failure) -> {
                  if (failure != null) {
                    end(failure);
                  } else if (isLast) {
                    end(null);
                  } else {
                    goOn();
                  }
                });
      } catch (IOException e) {
        end(e);
      }
    }

    /** Says how much comes of a rank, before its first store. */
    private void announce(WorkerWithDpRank rank) {
      if (!rank.equals(lastRank)) {
        lastRank = rank;
        Long blocks = deviceBlocks.remove(rank);
        if (blocks != null) {
          index.expect(rank, blocks);
        }
      }
    }

    private void end(@Nullable Throwable failure) {
      try (in) {
        if (failure == null) {
          done.complete(reader.summary());
        } else {
          done.completeExceptionally(failure);
        }
      } catch (IOException e) {
        done.completeExceptionally(e);
      }
    }
  }
}
