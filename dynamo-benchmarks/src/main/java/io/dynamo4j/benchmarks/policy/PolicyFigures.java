// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.policy;

import java.util.List;

/**
 * What one policy came to, the mean over seeds.
 *
 * @param hitPercent prompt tokens that were found cached
 * @param ttftMillis mean time to first token
 * @param p99Millis time to first token of the slowest hundredth
 */
record PolicyFigures(double hitPercent, double ttftMillis, double p99Millis) {

  static PolicyFigures mean(List<PolicyFigures> seeds) {
    double hit = 0;
    double ttft = 0;
    double p99 = 0;
    for (PolicyFigures one : seeds) {
      hit += one.hitPercent / seeds.size();
      ttft += one.ttftMillis / seeds.size();
      p99 += one.p99Millis / seeds.size();
    }
    return new PolicyFigures(hit, ttft, p99);
  }
}
