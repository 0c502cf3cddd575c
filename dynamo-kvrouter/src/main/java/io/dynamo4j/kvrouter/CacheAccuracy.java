// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/**
 * How well the cached tokens that a router counted on agree with those that engines report.
 *
 * @param reports requests whose engine told
 * @param predictedTokens cached tokens that their choices counted on
 * @param reportedTokens cached tokens that their engines found
 * @param absoluteErrorTokens sum of the differences, whatever their sign
 * @param exactReports reports without a difference
 */
public record CacheAccuracy(
    long reports,
    long predictedTokens,
    long reportedTokens,
    long absoluteErrorTokens,
    long exactReports) {}
