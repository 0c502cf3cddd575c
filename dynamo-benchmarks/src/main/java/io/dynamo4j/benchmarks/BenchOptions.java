// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks;

/**
 * How to measure.
 *
 * @param quick only check that everything runs and agrees; figures then mean nothing
 */
public record BenchOptions(boolean quick) {}
