// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.snapshot;

import java.io.IOException;
import java.util.Objects;

/** Bytes that are no snapshot which this version can read. */
public final class SnapshotFormatException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Why bytes were refused. */
  public enum Reason {
    /** They do not begin as a snapshot does. */
    FOREIGN,
    /** Written by a version that this one does not know. */
    NEWER_VERSION,
    /** They end before the snapshot does. */
    TRUNCATED,
    /** A checksum differs. */
    CORRUPT,
    /** A length or a kind is impossible, though the checksum agrees. */
    MALFORMED,
    /** There is more behind the end. */
    TRAILING_BYTES,
    /** Hashed with another number of tokens a block than the index. */
    OTHER_BLOCK_SIZE
  }

  private final Reason reason;
  private final long offset;

  SnapshotFormatException(Reason reason, long offset, String detail) {
    super("snapshot refused: reason=" + reason + ", offset=" + offset + ", " + detail);
    this.reason = Objects.requireNonNull(reason, "reason");
    this.offset = offset;
  }

  public Reason reason() {
    return reason;
  }

  /** Returns where what was refused begins. */
  public long offset() {
    return offset;
  }
}
