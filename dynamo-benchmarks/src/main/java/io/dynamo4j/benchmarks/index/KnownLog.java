// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import io.dynamo4j.benchmarks.ChecksumMismatchException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * A log of a public trace of which counts and checksum are on record.
 *
 * @param traceSha256 how the SHA-256 of the trace begins
 */
record KnownLog(
    String traceSha256,
    LogShape shape,
    long queryBlocks,
    long storedBlocks,
    long removedBlocks,
    long memberships,
    long uniqueBlocks,
    String checksum) {

  /** Trace, copies, factor, workers; blocks asked for, stored, removed; pairs, blocks, checksum. */
  private static final String TABLE =
      """
      b8cbb061  1 1    8   288500   225650    94578   131072    99074 da9738ef525f0587
      b8cbb061  1 1   64   288500   245193        0   245193   165842 93c20785a0c8fb9b
      b8cbb061  1 1 1024   288500   250930        0   250930   165842 07420d7f62bba917
      b8cbb061  1 4   64  1154000   980772    15116   965656   655780 e6d0826a27b74ebc
      b8cbb061  1 4 1024  1154000  1003720        0  1003720   663368 f072ce066069a546
      e2bec9bc 100 4  64  7874400  6119804  5071228  1048576   771740 53f28a61a21722e8
      bd070915 40 1   64  4875080  4104487  3055911  1048576   519964 c37950d726f667e2
      b8cbb061 20 4   64 23080000 19886400 18837824  1048576   935464 7dc0faeef9c02b3c
      b8cbb061 20 4 1024 23080000 20074152  3348512 16725640 11289012 b6ed87565acf8c5c
      """;

  static final List<KnownLog> ALL = TABLE.lines().map(KnownLog::parse).toList();

  private static KnownLog parse(String line) {
    String[] cells = line.split(" +", -1);
    return new KnownLog(
        cells[0],
        LogShape.of(
            Integer.parseInt(cells[1]), Integer.parseInt(cells[2]), Integer.parseInt(cells[3])),
        Long.parseLong(cells[4]),
        Long.parseLong(cells[5]),
        Long.parseLong(cells[6]),
        Long.parseLong(cells[7]),
        Long.parseLong(cells[8]),
        cells[9]);
  }

  /** Returns what is on record of a log, if anything. */
  static Optional<KnownLog> of(Path trace, LogShape shape) throws IOException {
    String sha256 = sha256(trace);
    return ALL.stream()
        .filter(known -> sha256.startsWith(known.traceSha256) && known.shape.equals(shape))
        .findFirst();
  }

  /**
   * Compares counts and checksum.
   *
   * @throws ChecksumMismatchException if one differs
   */
  void requireSame(OperationLog log) {
    ChecksumMismatchException.requireEqual("query blocks", log.queryBlocks(), queryBlocks);
    ChecksumMismatchException.requireEqual("stored blocks", log.storedBlocks(), storedBlocks);
    ChecksumMismatchException.requireEqual("removed blocks", log.removedBlocks(), removedBlocks);
    ChecksumMismatchException.requireEqual("memberships", log.memberships(), memberships);
    ChecksumMismatchException.requireEqual("different blocks", log.uniqueBlocks(), uniqueBlocks);
    ChecksumMismatchException.requireEqual(
        "log", log.checksum(), Long.parseUnsignedLong(checksum, 16));
  }

  private static String sha256(Path file) throws IOException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(Files.readAllBytes(file)));
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException("SHA-256 is missing", everyJdkHasIt);
    }
  }
}
