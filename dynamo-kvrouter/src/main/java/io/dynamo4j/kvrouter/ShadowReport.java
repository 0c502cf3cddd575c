// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/**
 * How a shadow policy compares with the active one.
 *
 * @param decisions decisions that both made
 * @param agreements those in which both chose the same rank
 * @param failures those in which the shadow threw
 * @param regret by how much the shadow's choices cost more than the active policy's, by the active
 *     policy's own cost, over all decisions; 0 for the active policy itself at temperature 0
 * @param maxRegret the largest such difference of one decision
 */
public record ShadowReport(
    long decisions, long agreements, long failures, double regret, double maxRegret) {}
