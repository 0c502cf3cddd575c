// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.snapshot.IndexSnapshots;
import io.dynamo4j.indexer.snapshot.SnapshotSummary;
import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.DurableLogException.Reason;
import io.dynamo4j.plane.SnapshotCopy;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;

/**
 * A snapshot of the durable mode: who it is of, up to which entry, where each rank's writer stood,
 * and then a snapshot of the index. Numbers big-endian.
 *
 * <pre>
 * 8 magic, 2 version, text scope, 8 covered sequence, 4 ranks,
 * a rank: 8 worker, 4 rank, 8 writer, 8 last event, 1 state; 8 CRC32C of all before; the index
 * </pre>
 *
 * State: 0 lacks something, 1 whole, 2 may lack something that was lost with its entry.
 */
final class DurableSnapshotFormat {
  /** What a block takes in the part of the index, but for the heads of its stores. */
  static final int BLOCK_BYTES = 16;

  static final String PREFIX = "radix-state-";

  private static final long MAGIC = 0x44344A4455524142L; // D4JDURAB
  private static final int VERSION = 1;
  private static final int MAX_RANKS = 1 << 20;
  private static final int LACKING = 0;
  private static final int WHOLE = 1;
  private static final int UNSURE = 2;

  private DurableSnapshotFormat() {}

  /** Returns a name that sorts by what the snapshot covers. */
  static String name(long covered, long routerId) {
    return PREFIX + String.format("%020d-%016x", covered, routerId);
  }

  /** Returns what a snapshot of this name covers, -1 if it is none of ours. */
  static long coveredBy(String name) {
    if (!name.startsWith(PREFIX) || name.length() < PREFIX.length() + 20) {
      return -1;
    }
    String digits = name.substring(PREFIX.length(), PREFIX.length() + 20);
    boolean isNumber = digits.chars().allMatch(c -> c >= '0' && c <= '9') && digits.startsWith("0");
    return isNumber ? Long.parseLong(digits) : -1;
  }

  /** Writes all of it; the index's updates wait meanwhile. */
  static CompletionStage<SnapshotSummary> write(
      String scope, long covered, RankCursors cursors, KvIndexer index, OutputStream out) {
    try {
      CheckedOutputStream checked = new CheckedOutputStream(out, new CRC32C());
      DataOutputStream header = new DataOutputStream(checked);
      header.writeLong(MAGIC);
      header.writeShort(VERSION);
      header.writeUTF(scope);
      header.writeLong(covered);
      header.writeInt(cursors.size());
      for (WorkerWithDpRank rank : cursors.ranks(null)) {
        RankCursors.Cursor cursor = cursors.get(rank);
        header.writeLong(rank.workerId());
        header.writeInt(rank.dpRank());
        header.writeLong(cursor.writerId);
        header.writeLong(cursor.lastId);
        header.writeByte(cursor.isUnsure ? UNSURE : cursor.isWhole ? WHOLE : LACKING);
      }
      header.writeLong(checked.getChecksum().getValue());
      header.flush();
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
    return IndexSnapshots.write(index, out);
  }

  /**
   * Checks all of it and returns what it covers.
   *
   * @throws IOException if it is damaged, newer, or of somebody else
   */
  static long verify(SnapshotCopy copy, String scope, int blockSize) throws IOException {
    try (InputStream in = copy.open()) {
      long covered = readHeader(in, scope, new RankCursors());
      IndexSnapshots.verify(in, blockSize);
      return covered;
    }
  }

  /**
   * Reads what is before the index and returns what the snapshot covers.
   *
   * @param cursors are given what it says of ranks, in part if this fails
   * @throws IOException if it is damaged, newer, or of somebody else; caused by an {@link
   *     EOFException} if only more of it is missing
   */
  static long readHeader(InputStream in, String scope, RankCursors cursors) throws IOException {
    CheckedInputStream checked = new CheckedInputStream(in, new CRC32C());
    DataInputStream header = new DataInputStream(checked);
    try {
      if (header.readLong() != MAGIC) {
        throw new IOException("snapshot is foreign");
      }
      int version = header.readUnsignedShort();
      if (version != VERSION) {
        throw new IOException("snapshot is of another version: version=" + version);
      }
      String written = header.readUTF();
      long covered = header.readLong();
      readRanks(header, cursors);
      long sum = checked.getChecksum().getValue();
      if (header.readLong() != sum) {
        throw new IOException("snapshot is damaged: part=header");
      }
      if (!written.equals(scope)) {
        throw new IOException("snapshot is of another scope");
      }
      return covered;
    } catch (EOFException e) {
      throw new IOException("snapshot ends too early: part=header", e);
    }
  }

  private static void readRanks(DataInputStream header, RankCursors cursors) throws IOException {
    int ranks = header.readInt();
    if (ranks < 0 || ranks > MAX_RANKS) {
      throw new IOException("snapshot is damaged: ranks=" + ranks);
    }
    for (int i = 0; i < ranks; i++) {
      WorkerWithDpRank rank = new WorkerWithDpRank(header.readLong(), header.readInt());
      long writerId = header.readLong();
      long lastId = header.readLong();
      int state = header.readUnsignedByte();
      if (state > UNSURE) {
        throw new IOException("snapshot is damaged: state=" + state);
      }
      cursors.restore(rank, writerId, lastId, state == WHOLE);
      if (state == UNSURE) {
        cursors.doubt(rank);
      }
    }
  }

  static DurableLogException corrupt(String name, Throwable why) {
    return new DurableLogException(
        Reason.CORRUPT, "snapshot is refused: name=" + name + ", why=" + why.getMessage(), why);
  }
}
