// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.fleet;

import io.dynamo4j.simulation.fleet.FleetResult;
import io.dynamo4j.simulation.fleet.RequestLog;

/** A run's requests in equal slices of virtual time, by arrival. */
final class TimeBuckets {
  static final int COUNT = 60;

  private final double bucketSeconds;
  private final double[] middleSeconds = new double[COUNT];
  private final double[] hitPercent = new double[COUNT];
  private final double[] ttftMillis = new double[COUNT];

  TimeBuckets(FleetResult result, double endSeconds) {
    this.bucketSeconds = Math.max(endSeconds, 1e-9) / COUNT;
    long[] input = new long[COUNT];
    long[] reused = new long[COUNT];
    int[] started = new int[COUNT];
    double[] ttftSum = new double[COUNT];
    RequestLog log = result.requests();
    for (int row = 0; row < log.size(); row++) {
      int bucket = Math.min(COUNT - 1, (int) (log.arrivalNanos(row) / 1e9 / bucketSeconds));
      input[bucket] += log.inputTokens(row);
      reused[bucket] += log.reusedTokens(row);
      if (log.firstTokenNanos(row) != RequestLog.NEVER) {
        started[bucket]++;
        ttftSum[bucket] += (log.firstTokenNanos(row) - log.arrivalNanos(row)) / 1e6;
      }
    }
    for (int i = 0; i < COUNT; i++) {
      middleSeconds[i] = (i + 0.5) * bucketSeconds;
      hitPercent[i] = input[i] == 0 ? Double.NaN : 100.0 * reused[i] / input[i];
      ttftMillis[i] = started[i] == 0 ? Double.NaN : ttftSum[i] / started[i];
    }
  }

  /** Returns the middle of each slice; not to be modified. */
  double[] middleSeconds() {
    return middleSeconds;
  }

  /** Returns reused input tokens in percent of input tokens, NaN where nothing arrived. */
  double[] hitPercent() {
    return hitPercent;
  }

  /** Returns the mean time to first token, NaN where none came. */
  double[] ttftMillis() {
    return ttftMillis;
  }
}
