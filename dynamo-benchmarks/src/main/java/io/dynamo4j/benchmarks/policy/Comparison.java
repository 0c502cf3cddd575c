// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.policy;

/** Two policies over several settings. */
final class Comparison {
  private int count;
  private double hitOurs;
  private double hitReference;
  private double logTtftOurs;
  private double logTtftReference;
  private double logP99Ours;
  private double logP99Reference;
  private double worstTtft;
  private double worstP99;

  void add(PolicyFigures ours, PolicyFigures reference) {
    count++;
    hitOurs += ours.hitPercent();
    hitReference += reference.hitPercent();
    logTtftOurs += Math.log(ours.ttftMillis());
    logTtftReference += Math.log(reference.ttftMillis());
    logP99Ours += Math.log(ours.p99Millis());
    logP99Reference += Math.log(reference.p99Millis());
    worstTtft = Math.max(worstTtft, ours.ttftMillis() / reference.ttftMillis());
    worstP99 = Math.max(worstP99, ours.p99Millis() / reference.p99Millis());
  }

  int count() {
    return count;
  }

  /** Returns our figures: the mean of hits, the geometric means of times. */
  PolicyFigures ours() {
    return new PolicyFigures(
        hitOurs / count, Math.exp(logTtftOurs / count), Math.exp(logP99Ours / count));
  }

  /** Returns the reference's figures, as {@link #ours}. */
  PolicyFigures reference() {
    return new PolicyFigures(
        hitReference / count,
        Math.exp(logTtftReference / count),
        Math.exp(logP99Reference / count));
  }

  /** Returns the geometric mean of the ratios of mean times. */
  double ttft() {
    return Math.exp((logTtftOurs - logTtftReference) / count);
  }

  double worstTtft() {
    return worstTtft;
  }

  /** Returns the geometric mean of the ratios of the slowest hundredths. */
  double p99() {
    return Math.exp((logP99Ours - logP99Reference) / count);
  }

  double worstP99() {
    return worstP99;
  }

  double hitPoints() {
    return (hitOurs - hitReference) / count;
  }
}
