// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Pieces of a copy that is fetched as a whole first. */
final class CopiedPieces implements SnapshotPieces {
  private static final int PIECE_BYTES = 128 << 10;

  private final CompletionStage<SnapshotCopy> copy;
  private @Nullable InputStream in;
  private long totalBytes;

  CopiedPieces(CompletionStage<SnapshotCopy> copy) {
    this.copy = copy;
  }

  @Override
  public CompletionStage<Optional<byte[]>> next() {
    return copy.thenCompose(this::next);
  }

  private CompletionStage<Optional<byte[]>> next(SnapshotCopy from) {
    try {
      InputStream now = in;
      if (now == null) {
        totalBytes = length(from);
        now = from.open();
        in = now;
      }
      byte[] piece = now.readNBytes(PIECE_BYTES);
      return CompletableFuture.completedFuture(
          piece.length == 0 ? Optional.empty() : Optional.of(piece));
    } catch (IOException e) {
      return CompletableFuture.failedFuture(
          new DurableLogException(
              DurableLogException.Reason.FAILED, "copy of a snapshot cannot be read", e));
    }
  }

  private static long length(SnapshotCopy from) throws IOException {
    try (InputStream all = from.open()) {
      long length = 0;
      for (long more = all.skip(Long.MAX_VALUE); more > 0; more = all.skip(Long.MAX_VALUE)) {
        length += more;
      }
      return length;
    }
  }

  @Override
  public long totalBytes() {
    return totalBytes;
  }

  @Override
  public void close() {
    copy.whenComplete(
        (fetched, failure) -> {
          if (fetched != null) {
            close(fetched);
          }
        });
  }

  private void close(SnapshotCopy fetched) {
    InputStream open = in;
    in = null;
    try {
      if (open != null) {
        open.close();
      }
    } catch (IOException e) {
      // It was only read.
    } finally {
      fetched.close();
    }
  }
}
