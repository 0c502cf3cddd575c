// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.snapshot;

import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.IndexLoad;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.KvIndexerStatus;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot that is applied while more of it comes. Each chunk is checked before it is applied,
 * and the whole before a lookup sees any of it: what is refused leaves the index as it was.
 *
 * <p><b>Memory.</b> Besides the index, one piece and one chunk, and the stores of two rounds of at
 * most {@value #EVENTS_AT_ONCE} each that the index has not applied yet.
 *
 * <p><b>Threads.</b> One caller at a time, which adds the next piece once the one before is done.
 */
public final class SnapshotLoad {
  private static final int EVENTS_AT_ONCE = 256;

  private final KvIndexer index;
  private final IndexLoad load;
  private final PieceInput input = new PieceInput();
  private final long blocksPerRank;
  private @Nullable SnapshotReader reader;
  private @Nullable RouterEvent refused;
  private @Nullable WorkerWithDpRank lastRank;
  private CompletableFuture<Void> round = CompletableFuture.completedFuture(null);
  private boolean isWhole;

  SnapshotLoad(KvIndexer index, IndexLoad load, long blocksPerRank) {
    this.index = index;
    this.load = load;
    this.blocksPerRank = blocksPerRank;
  }

  /**
   * Adds the bytes that come next.
   *
   * @param piece neither copied nor to be changed any more
   * @return completes when the next may be added; exceptionally with a {@link
   *     SnapshotFormatException} if they cannot be part of a snapshot for this index, with an
   *     {@link IOException} if the index is closed
   */
  public CompletionStage<Void> add(byte[] piece) {
    input.add(piece);
    return goOn();
  }

  /**
   * Says that all bytes are there and right, and has lookups see what they hold.
   *
   * @return completes once they do; exceptionally as {@link #add}, nothing was changed then
   */
  public CompletionStage<SnapshotSummary> end() {
    input.end();
    return goOn()
        .thenCompose(done -> load.commit())
        .thenApply(done -> Objects.requireNonNull(reader).summary());
  }

  /** Drops all that has come; nothing was changed. Without effect behind the end. */
  public void abandon() {
    load.abandon();
  }

  private CompletionStage<Void> goOn() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    goOn(done);
    return done.minimalCompletionStage();
  }

  private void goOn(CompletableFuture<Void> done) {
    try {
      while (submitRound()) {
        CompletableFuture<Void> before = round;
        round = index.flush().toCompletableFuture();
        CompletableFuture<Void> awaited = refused == null ? before : round;
        if (!awaited.isDone()) {
          var unused =
              awaited.whenComplete(
                  (passed, failure) -> {
                    if (failure == null) {
                      goOn(done);
                    } else {
                      done.completeExceptionally(failure);
                    }
                  });
          return;
        }
      }
      done.complete(null);
    } catch (IOException | RuntimeException e) {
      done.completeExceptionally(e);
    }
  }

  /** Hands in some stores; returns false if there are no more before the next piece. */
  private boolean submitRound() throws IOException {
    for (int i = 0; i < EVENTS_AT_ONCE; i++) {
      RouterEvent event = refused == null ? next() : refused;
      if (event == null) {
        return false;
      }
      refused = null;
      announce(event.worker());
      if (!load.submit(event)) {
        if (index.status().health() == KvIndexerStatus.Health.CLOSED) {
          throw new IOException("index took no event: status=" + index.status());
        }
        refused = event;
        return true;
      }
    }
    return true;
  }

  private void announce(WorkerWithDpRank rank) {
    if (!rank.equals(lastRank)) {
      lastRank = rank;
      load.expect(rank, blocksPerRank);
    }
  }

  /** Returns the next store, null if it is not there yet or there is none. */
  private @Nullable RouterEvent next() throws IOException {
    SnapshotReader now = reader;
    if (now == null) {
      if (input.available() < SnapshotFormat.HEADER_BYTES && !input.isEnded()) {
        return null;
      }
      now = new SnapshotReader(input, index.blockSize());
      reader = now;
    }
    if (isWhole || (now.needsChunk() && !hasChunk())) {
      return null;
    }
    RouterEvent event = now.next();
    isWhole = event == null;
    return event;
  }

  /** Returns whether the next chunk, or the end and what is behind it, can be read. */
  private boolean hasChunk() {
    if (input.isEnded()) {
      return true;
    }
    if (input.available() < 4) {
      return false;
    }
    int length = input.peekInt();
    if (length < 0 || length > SnapshotFormat.MAX_CHUNK_BYTES) {
      return true;
    }
    return length == 0
        ? input.available() > 4 + SnapshotFormat.END_BYTES
        : input.available() >= SnapshotFormat.CHUNK_HEADER_BYTES + length;
  }
}
