// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.snapshot;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.snapshot.SnapshotFormatException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads stores, one chunk in memory at a time. A length is checked before memory is taken for it,
 * and memory grows with what was really read. One reader.
 */
final class SnapshotReader {
  private static final int READ_AT_ONCE = 1 << 16;

  private final InputStream in;
  private final CRC32C allChunks = new CRC32C();
  private byte[] buffer = new byte[READ_AT_ONCE];
  private ByteBuffer chunk = ByteBuffer.allocate(0);
  private long chunkOffset;
  private int storeBlocks;
  private long offset;
  private long events;
  private long blocks;
  private boolean ended;

  SnapshotReader(InputStream in, int blockSize) throws IOException {
    this.in = in;
    ByteBuffer header = read(SnapshotFormat.HEADER_BYTES, "header");
    if (header.getLong() != SnapshotFormat.MAGIC) {
      throw new SnapshotFormatException(Reason.FOREIGN, 0, "expected=a snapshot of an index");
    }
    int version = Short.toUnsignedInt(header.getShort());
    if (version != SnapshotFormat.VERSION) {
      throw new SnapshotFormatException(
          Reason.NEWER_VERSION, 8, "version=" + version + ", readable=" + SnapshotFormat.VERSION);
    }
    int written = header.getInt();
    if (header.getInt() != SnapshotWriter.checksum(buffer, 14)) {
      throw new SnapshotFormatException(Reason.CORRUPT, 0, "part=header");
    }
    if (written != blockSize) {
      throw new SnapshotFormatException(
          Reason.OTHER_BLOCK_SIZE, 10, "blockSize=" + written + ", index=" + blockSize);
    }
  }

  /** Returns whether the next store is in a chunk that has not been read. */
  boolean needsChunk() {
    return !ended && !chunk.hasRemaining();
  }

  /** Returns the next store, null at the end. */
  @Nullable RouterEvent next() throws IOException {
    return readStoreHeader() ? store() : null;
  }

  /**
   * Checks all that is left and returns what there is.
   *
   * @param deviceBlocks is given the blocks of each rank on its device
   */
  SnapshotSummary skipToEnd(Map<WorkerWithDpRank, Long> deviceBlocks) throws IOException {
    while (readStoreHeader()) {
      int header = chunk.position() - SnapshotFormat.STORE_HEADER_BYTES;
      if (SnapshotFormat.tier(chunk.get(header)) == StorageTier.DEVICE) {
        WorkerWithDpRank rank =
            new WorkerWithDpRank(chunk.getLong(header + 2), chunk.getInt(header + 10));
        deviceBlocks.merge(rank, (long) storeBlocks, Long::sum);
      }
      chunk.position(chunk.position() + 16 * storeBlocks);
      blocks += storeBlocks;
      events++;
    }
    return summary();
  }

  SnapshotSummary summary() {
    return new SnapshotSummary(events, blocks, offset);
  }

  private void readChunk() throws IOException {
    long start = offset;
    int length = read(4, "chunk length").getInt();
    if (length == 0) {
      end(start);
      return;
    }
    if (length < 0 || length > SnapshotFormat.MAX_CHUNK_BYTES) {
      throw new SnapshotFormatException(Reason.MALFORMED, start, "chunkBytes=" + length);
    }
    ByteBuffer sum = read(4, "checksum");
    allChunks.update(buffer, 0, 4);
    int expected = sum.getInt();
    chunkOffset = offset;
    chunk = read(length, "chunk");
    if (SnapshotWriter.checksum(buffer, length) != expected) {
      throw new SnapshotFormatException(Reason.CORRUPT, start, "part=chunk, chunkBytes=" + length);
    }
  }

  private void end(long start) throws IOException {
    ByteBuffer end = read(SnapshotFormat.END_BYTES, "end");
    allChunks.update(buffer, 0, 16);
    long writtenEvents = end.getLong();
    long writtenBlocks = end.getLong();
    if (end.getInt() != (int) allChunks.getValue()) {
      throw new SnapshotFormatException(Reason.CORRUPT, start, "part=end");
    }
    if (writtenEvents != events || writtenBlocks != blocks) {
      throw new SnapshotFormatException(
          Reason.MALFORMED,
          start,
          "events=" + events + ", blocks=" + blocks + ", written=" + writtenEvents);
    }
    if (in.read() >= 0) {
      throw new SnapshotFormatException(Reason.TRAILING_BYTES, offset, "part=end");
    }
    ended = true;
  }

  /** Reads what stands before the hashes of the next store; returns false at the end. */
  private boolean readStoreHeader() throws IOException {
    while (!ended && !chunk.hasRemaining()) {
      readChunk();
    }
    if (ended) {
      return false;
    }
    long start = chunkOffset + chunk.position();
    if (chunk.remaining() < SnapshotFormat.STORE_HEADER_BYTES) {
      throw new SnapshotFormatException(
          Reason.MALFORMED, start, "chunkBytesLeft=" + chunk.remaining());
    }
    int storeStart = chunk.position();
    int tier = chunk.get(storeStart);
    int hasParent = chunk.get(storeStart + 1);
    int count = chunk.getInt(storeStart + SnapshotFormat.STORE_HEADER_BYTES - 4);
    if (tier < 0
        || tier >= SnapshotFormat.TIERS
        || hasParent >>> 1 != 0
        || count < 0
        || count > (chunk.remaining() - SnapshotFormat.STORE_HEADER_BYTES) / 16) {
      throw new SnapshotFormatException(
          Reason.MALFORMED,
          start,
          "tier=" + tier + ", hasParent=" + hasParent + ", blocks=" + count);
    }
    storeBlocks = count;
    chunk.position(storeStart + SnapshotFormat.STORE_HEADER_BYTES);
    return true;
  }

  private RouterEvent store() {
    int header = chunk.position() - SnapshotFormat.STORE_HEADER_BYTES;
    int tier = chunk.get(header);
    boolean hasParent = chunk.get(header + 1) == 1;
    long workerId = chunk.getLong(header + 2);
    int dpRank = chunk.getInt(header + 10);
    long parent = chunk.getLong(header + 14);
    long[] hashes = longs(storeBlocks);
    long[] locals = longs(storeBlocks);
    KvCacheEventData data =
        hasParent
            ? KvCacheEventData.Stored.under(parent, hashes, locals)
            : KvCacheEventData.Stored.atRoot(hashes, locals);
    blocks += storeBlocks;
    return RouterEvent.of(
        workerId, SnapshotFormat.tier(tier), KvCacheEvent.of(events++, dpRank, data));
  }

  private long[] longs(int count) {
    long[] values = new long[count];
    chunk.asLongBuffer().get(values);
    chunk.position(chunk.position() + 8 * count);
    return values;
  }

  /** Returns the next bytes; memory is taken as they come, whatever length was declared. */
  private ByteBuffer read(int length, String part) throws IOException {
    int done = 0;
    while (done < length) {
      if (done == buffer.length) {
        buffer = Arrays.copyOf(buffer, Math.min(length, 2 * done));
      }
      int count = in.read(buffer, done, Math.min(length, buffer.length) - done);
      if (count < 0) {
        throw new SnapshotFormatException(
            Reason.TRUNCATED, offset + done, "part=" + part + ", missing=" + (length - done));
      }
      done += count;
    }
    offset += length;
    return ByteBuffer.wrap(buffer, 0, length);
  }
}
