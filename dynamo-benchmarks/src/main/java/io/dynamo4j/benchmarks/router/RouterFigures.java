// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.router;

/** What the measuring process answers. */
final class RouterFigures {
  private RouterFigures() {}

  /**
   * What one request costs a thread.
   *
   * @param decisionNanos lookup, selection and booking, CPU time
   * @param endNanos first token and end
   * @param decisionBytes that a decision allocates
   */
  record Decision(double decisionNanos, double endNanos, double decisionBytes) {}

  /**
   * What several threads manage at a time, each with requests of its own.
   *
   * @param perSecond whole requests: decision, first token, end
   * @param decisionNanos CPU time of all threads by decisions, first tokens and ends included
   */
  record Threads(double perSecond, double decisionNanos) {}
}
