// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.snapshot;

import io.dynamo4j.core.model.StorageTier;

/**
 * The bytes of a snapshot, numbers big-endian.
 *
 * <pre>
 * header  8 magic, 2 version, 4 tokens a block, 4 CRC32C of the 14 before
 * chunk   4 length, 4 CRC32C of the payload, payload: whole stores
 * store   1 tier, 1 has parent, 8 worker, 4 rank, 8 parent, 4 blocks, 8 a block hash, 8 a local hash
 * end     4 length 0, 8 stores, 8 blocks, 4 CRC32C of all checksums of chunks and of those 16
 * </pre>
 */
final class SnapshotFormat {
  static final long MAGIC = 0x44344A494E444558L; // D4JINDEX
  static final short VERSION = 1;
  static final int HEADER_BYTES = 18;
  static final int CHUNK_HEADER_BYTES = 8;
  static final int STORE_HEADER_BYTES = 26;
  static final int END_BYTES = 20;

  /** A chunk is closed once it is this long; one store alone may be longer. */
  static final int CHUNK_BYTES = 1 << 16;

  /** The longest chunk that is read. */
  static final int MAX_CHUNK_BYTES = 1 << 26;

  /** Codes of tiers are from 0 to below this. */
  static final int TIERS = 4;

  private SnapshotFormat() {}

  static byte code(StorageTier tier) {
    return switch (tier) {
      case DEVICE -> 0;
      case HOST_PINNED -> 1;
      case DISK -> 2;
      case EXTERNAL -> 3;
    };
  }

  static StorageTier tier(int code) {
    return switch (code) {
      case 0 -> StorageTier.DEVICE;
      case 1 -> StorageTier.HOST_PINNED;
      case 2 -> StorageTier.DISK;
      default -> StorageTier.EXTERNAL;
    };
  }
}
