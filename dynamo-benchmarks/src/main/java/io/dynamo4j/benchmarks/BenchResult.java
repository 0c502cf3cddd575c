// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks;

import java.util.List;

/**
 * Figures of one benchmark.
 *
 * @param rows comparisons
 * @param facts figures without a reference
 */
public record BenchResult(List<Row> rows, List<Fact> facts) {

  public BenchResult {
    rows = List.copyOf(rows);
    facts = List.copyOf(facts);
  }

  /**
   * One comparison within one run.
   *
   * @param quantity what was measured, unique over all benchmarks
   * @param ratio above 1 if ours is better
   * @param unit of {@code ours} and {@code reference}
   */
  public record Row(String quantity, double ours, double reference, double ratio, String unit) {

    public Row {
      requireFinite(quantity, "ours", ours);
      requireFinite(quantity, "reference", reference);
      requireFinite(quantity, "ratio", ratio);
    }

    /** Compares figures of which the smaller is the better, such as times. */
    public static Row lowerIsBetter(String quantity, double ours, double reference, String unit) {
      return new Row(quantity, ours, reference, reference / ours, unit);
    }

    /** Compares figures of which the greater is the better, such as rates. */
    public static Row higherIsBetter(String quantity, double ours, double reference, String unit) {
      return new Row(quantity, ours, reference, ours / reference, unit);
    }
  }

  /**
   * One figure without a reference.
   *
   * @param quantity what was measured, unique over all benchmarks
   */
  public record Fact(String quantity, double value, String unit) {

    public Fact {
      requireFinite(quantity, "value", value);
    }
  }

  private static void requireFinite(String quantity, String name, double value) {
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException(
          "figure is no number: quantity=" + quantity + ", " + name + "=" + value);
    }
  }
}
