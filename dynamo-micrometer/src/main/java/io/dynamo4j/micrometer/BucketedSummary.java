// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.micrometer;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A distribution of fractions: a summary with quantiles, and a counter for each bound that counts
 * the amounts up to it, as the buckets of a histogram do. Micrometer's own buckets cannot tell
 * fractions apart, for it rounds amounts up to whole ones before it sorts them.
 *
 * <p><b>Threads.</b> Any. Cost of an amount: a search among the bounds, and an addition.
 */
final class BucketedSummary {
  private static final double[] QUANTILES = {0.5, 0.9, 0.99};
  private static final String INFINITE = "+Inf";

  private final DistributionSummary summary;
  private final double[] bounds;

  /** Amounts of each bucket alone; one more than bounds, for those beyond the last. */
  private final AtomicLongArray amounts;

  private BucketedSummary(DistributionSummary summary, double[] bounds) {
    this.summary = summary;
    this.bounds = bounds;
    this.amounts = new AtomicLongArray(bounds.length + 1);
  }

  /**
   * Registers both.
   *
   * @param name of the summary
   * @param bucketName of the counters
   * @param bounds ascending
   */
  static BucketedSummary register(
      MeterRegistry registry, String name, String bucketName, Tags tags, double... bounds) {
    DistributionSummary summary =
        DistributionSummary.builder(name)
            .publishPercentiles(QUANTILES)
            .tags(tags)
            .register(registry);
    BucketedSummary bucketed = new BucketedSummary(summary, bounds);
    for (int i = 0; i <= bounds.length; i++) {
      int bucket = i;
      FunctionCounter.builder(bucketName, bucketed, source -> source.upTo(bucket))
          .description("Amounts up to the bound")
          .tags(tags.and("le", i < bounds.length ? Double.toString(bounds[i]) : INFINITE))
          .register(registry);
    }
    return bucketed;
  }

  void record(double amount) {
    summary.record(amount);
    int bucket = 0;
    while (bucket < bounds.length && amount > bounds[bucket]) {
      bucket++;
    }
    amounts.incrementAndGet(bucket);
  }

  private double upTo(int bucket) {
    long sum = 0;
    for (int i = 0; i <= bucket; i++) {
      sum += amounts.get(i);
    }
    return sum;
  }
}
