// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks;

import io.dynamo4j.benchmarks.index.IndexOptions;

/**
 * How to measure.
 *
 * @param quick only check that everything runs and agrees; figures then mean nothing
 * @param index which logs the index is measured on
 */
public record BenchOptions(boolean quick, IndexOptions index) {

  /** Default options of every benchmark. */
  public BenchOptions(boolean quick) {
    this(quick, new IndexOptions());
  }
}
