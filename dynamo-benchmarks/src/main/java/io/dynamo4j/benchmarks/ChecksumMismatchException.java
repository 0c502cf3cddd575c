// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks;

/** Ours and the reference computed different things, so that their times cannot be compared. */
public final class ChecksumMismatchException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private ChecksumMismatchException(String message) {
    super(message);
  }

  /**
   * Compares two checksums.
   *
   * @throws ChecksumMismatchException if they differ
   */
  public static void requireEqual(String quantity, long ours, long reference) {
    if (ours != reference) {
      throw new ChecksumMismatchException(
          "checksums differ: quantity="
              + quantity
              + ", ours="
              + Long.toHexString(ours)
              + ", reference="
              + Long.toHexString(reference));
    }
  }
}
