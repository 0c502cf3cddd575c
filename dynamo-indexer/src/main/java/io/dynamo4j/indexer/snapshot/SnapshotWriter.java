// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.snapshot;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Writes stores, one chunk in memory at a time. One writer. */
final class SnapshotWriter {
  private final OutputStream out;
  private final CRC32C allChunks = new CRC32C();
  private ByteBuffer chunk = ByteBuffer.allocate(SnapshotFormat.CHUNK_BYTES);
  private long events;
  private long blocks;
  private long bytes;

  SnapshotWriter(OutputStream out, int blockSize) throws IOException {
    this.out = out;
    ByteBuffer header = ByteBuffer.allocate(SnapshotFormat.HEADER_BYTES);
    header.putLong(SnapshotFormat.MAGIC).putShort(SnapshotFormat.VERSION).putInt(blockSize);
    header.putInt(checksum(header.array(), header.position()));
    write(header.array(), header.position());
  }

  /**
   * Adds a store; anything else a dump never has.
   *
   * @throws UncheckedIOException if the stream fails
   */
  void add(RouterEvent event) {
    if (!(event.event().data() instanceof KvCacheEventData.Stored stored)) {
      throw new IllegalArgumentException("dump has something else than stores");
    }
    int length = SnapshotFormat.STORE_HEADER_BYTES + 16 * stored.blockCount();
    try {
      if (chunk.remaining() < length) {
        endChunk();
        if (chunk.capacity() < length) {
          chunk = ByteBuffer.allocate(length);
        }
      }
      put(event, stored);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void put(RouterEvent event, KvCacheEventData.Stored stored) {
    chunk.put(SnapshotFormat.code(event.tier())).put((byte) (stored.hasParent() ? 1 : 0));
    chunk.putLong(event.workerId()).putInt(event.event().dpRank());
    chunk.putLong(stored.hasParent() ? stored.parentHash() : 0).putInt(stored.blockCount());
    chunk.asLongBuffer().put(stored.blockHashes()).put(stored.tokensHashes());
    chunk.position(chunk.position() + 16 * stored.blockCount());
    events++;
    blocks += stored.blockCount();
  }

  private void endChunk() throws IOException {
    if (chunk.position() == 0) {
      return;
    }
    ByteBuffer header = ByteBuffer.allocate(SnapshotFormat.CHUNK_HEADER_BYTES);
    header.putInt(chunk.position()).putInt(checksum(chunk.array(), chunk.position()));
    allChunks.update(header.array(), 4, 4);
    write(header.array(), header.position());
    write(chunk.array(), chunk.position());
    chunk.clear();
  }

  /** Writes the end and returns what there is. */
  SnapshotSummary end() throws IOException {
    endChunk();
    ByteBuffer end = ByteBuffer.allocate(4 + SnapshotFormat.END_BYTES);
    end.putInt(0).putLong(events).putLong(blocks);
    allChunks.update(end.array(), 4, 16);
    end.putInt((int) allChunks.getValue());
    write(end.array(), end.position());
    out.flush();
    return new SnapshotSummary(events, blocks, bytes);
  }

  private void write(byte[] from, int length) throws IOException {
    out.write(from, 0, length);
    bytes += length;
  }

  static int checksum(byte[] from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(from, 0, length);
    return (int) crc.getValue();
  }
}
