// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.durable;

import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.DurableLogException.Reason;
import io.dynamo4j.plane.SnapshotCopy;
import io.dynamo4j.plane.SnapshotPieces;
import io.dynamo4j.plane.SnapshotStore;
import io.dynamo4j.plane.SnapshotUpload;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A client of a {@link SimulatedLogServer}'s snapshots. */
final class SimulatedSnapshotStore implements SnapshotStore {
  private final SimulatedLink link;

  SimulatedSnapshotStore(SimulatedLink link) {
    this.link = link;
  }

  @Override
  public CompletionStage<List<String>> list() {
    return link.call(link.server()::list);
  }

  @Override
  public SnapshotUpload create(String name) {
    return new Upload(Objects.requireNonNull(name, "name"));
  }

  @Override
  public CompletionStage<SnapshotCopy> get(String name) {
    Objects.requireNonNull(name, "name");
    return link.call(() -> new Copy(link.server().fetch(name)));
  }

  @Override
  public SnapshotPieces read(String name) {
    return new Pieces(Objects.requireNonNull(name, "name"));
  }

  @Override
  public CompletionStage<Void> delete(String name) {
    Objects.requireNonNull(name, "name");
    return link.call(
            () -> {
              link.server().delete(name);
              return true;
            })
        .thenAccept(done -> {});
  }

  @Override
  public void close() {
    link.close();
  }

  private final class Upload implements SnapshotUpload {
    private final String name;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private boolean ended;

    Upload(String name) {
      this.name = name;
    }

    @Override
    public OutputStream output() {
      return bytes;
    }

    @Override
    public CompletionStage<Void> commit() {
      if (ended) {
        return CompletableFuture.failedFuture(
            new DurableLogException(Reason.CLOSED, "upload has ended: name=" + name));
      }
      ended = true;
      byte[] content = bytes.toByteArray();
      return link.call(
              () -> {
                link.server().put(name, content);
                return true;
              })
          .thenAccept(done -> {});
    }

    @Override
    public void abort() {
      ended = true;
      bytes.reset();
    }
  }

  /** Each piece is fetched by a call of its own, between which anything may happen. */
  private final class Pieces implements SnapshotPieces {
    private static final int PIECE_BYTES = 1 << 10;

    private final String name;
    private byte @Nullable [] content;
    private int offset;
    private long totalBytes;

    Pieces(String name) {
      this.name = name;
    }

    @Override
    public CompletionStage<Optional<byte[]>> next() {
      return link.call(() -> link.server().fetch(name)).thenApply(this::next);
    }

    private Optional<byte[]> next(byte[] stored) {
      if (content != null && content != stored) {
        throw new DurableLogException(Reason.NOT_FOUND, "snapshot was replaced: name=" + name);
      }
      content = stored;
      totalBytes = stored.length;
      int from = offset;
      offset = Math.min(from + PIECE_BYTES, stored.length);
      return from == offset
          ? Optional.empty()
          : Optional.of(Arrays.copyOfRange(stored, from, offset));
    }

    @Override
    public long totalBytes() {
      return totalBytes;
    }

    @Override
    public void close() {
      // Memory only.
    }
  }

  private static final class Copy implements SnapshotCopy {
    private final byte[] content;

    Copy(byte[] content) {
      this.content = content;
    }

    @Override
    public InputStream open() {
      return new ByteArrayInputStream(content);
    }

    @Override
    public void close() {
      // Memory only.
    }
  }
}
