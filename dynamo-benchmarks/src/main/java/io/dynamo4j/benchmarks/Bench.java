// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks;

/** One benchmark, found by its name; a new one is a class and a line in {@link Benches}. */
public interface Bench {

  /** Returns the name on the command line. */
  String name();

  /** Returns one line of what is compared with what. */
  String description();

  /**
   * Measures, after it has checked that ours and the reference compute the same.
   *
   * @throws ChecksumMismatchException if they do not
   */
  BenchResult run(BenchOptions options);
}
