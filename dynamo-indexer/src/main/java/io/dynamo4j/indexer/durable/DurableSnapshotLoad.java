// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.indexer.snapshot.IndexSnapshots;
import io.dynamo4j.indexer.snapshot.SnapshotLoad;
import io.dynamo4j.plane.SnapshotPieces;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One snapshot on its way into the index, which shows nothing of it before the store has said that
 * the whole is right. Belongs to the feed's lane.
 */
final class DurableSnapshotLoad {
  private final FeedCore core;
  private final EventApplier applier;
  private final SnapshotPieces pieces;
  private final CompletableFuture<Long> done = new CompletableFuture<>();
  // What has come of the header; of thousands of ranks it is longer than a piece.
  private final ByteArrayOutputStream head = new ByteArrayOutputStream();
  private int headTriedAt;
  private final RankCursors cursors = new RankCursors();
  private long covered;
  private @Nullable SnapshotLoad load;
  private volatile boolean stopped;

  DurableSnapshotLoad(FeedCore core, EventApplier applier, SnapshotPieces pieces) {
    this.core = core;
    this.applier = applier;
    this.pieces = pieces;
  }

  /**
   * Loads all of it; called once.
   *
   * @return completes with the last entry covered, once lookups see it; fails with an {@link
   *     IOException} if it is damaged, newer or of somebody else, or as the pieces do. Index and
   *     cursors are as before then
   */
  CompletionStage<Long> load() {
    goOn();
    return done.minimalCompletionStage();
  }

  /** Goes no further; what was not committed is dropped. Any thread. */
  void stop() {
    stopped = true;
    pieces.close();
    SnapshotLoad now = load;
    if (now != null) {
      now.abandon();
    }
  }

  private void goOn() {
    core.then(
        pieces.next(),
        (piece, failure) -> {
          if (stopped) {
            return;
          }
          if (piece == null) {
            fail(failure);
          } else if (piece.isEmpty()) {
            end();
          } else {
            add(piece.get());
          }
        });
  }

  private void add(byte[] piece) {
    SnapshotLoad now = load;
    if (now != null) {
      await(now.add(piece));
      return;
    }
    head.writeBytes(piece);
    try {
      // Each attempt reads from the start: not again before there is twice as much.
      if (head.size() < 2 * headTriedAt || !readHead(false)) {
        goOn();
      }
    } catch (IOException e) {
      fail(e);
    }
  }

  private void await(CompletionStage<Void> added) {
    core.then(
        added,
        (passed, failure) -> {
          if (stopped) {
            return;
          }
          if (failure == null) {
            goOn();
          } else {
            fail(failure);
          }
        });
  }

  /** Reads the header and begins with what is behind it; returns false if there is more of it. */
  private boolean readHead(boolean isAll) throws IOException {
    headTriedAt = head.size();
    ByteArrayInputStream in = new ByteArrayInputStream(head.toByteArray());
    cursors.clear();
    try {
      covered = DurableSnapshotFormat.readHeader(in, core.scope, cursors);
    } catch (IOException e) {
      if (!isAll && e.getCause() instanceof EOFException) {
        return false;
      }
      throw e;
    }
    byte[] rest = in.readAllBytes();
    head.reset();
    // Ranks hold about alike; a guess beyond what there is in all takes no more than twice the
    // room.
    long blocks = pieces.totalBytes() / DurableSnapshotFormat.BLOCK_BYTES;
    Optional<SnapshotLoad> begun =
        IndexSnapshots.begin(applier.index(), blocks / Math.max(1, cursors.size()));
    if (begun.isEmpty()) {
      throw new IOException("index takes no snapshot: index=" + applier.index().status().health());
    }
    load = begun.get();
    await(load.add(rest));
    return true;
  }

  /** All has come, and the store says that it is what was written. */
  private void end() {
    SnapshotLoad now = load;
    if (now == null) {
      try {
        readHead(true);
      } catch (IOException e) {
        fail(e);
      }
      // Once that much is added the pieces say again that there are no more.
      return;
    }
    // Before any lookup may see it: whoever clears the index goes by them.
    applier.cursors().replaceBy(cursors);
    core.then(
        now.end(),
        (summary, failure) -> {
          if (stopped) {
            return;
          }
          if (failure == null) {
            pieces.close();
            applier.restored();
            done.complete(covered);
          } else {
            applier.cursors().clear();
            fail(failure);
          }
        });
  }

  private void fail(@Nullable Throwable failure) {
    stop();
    done.completeExceptionally(
        failure == null ? new IllegalStateException("no piece came") : failure);
  }
}
