// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/**
 * What lookups found; counters.
 *
 * @param lookups of prompts with a full block
 * @param found lookups that found somebody who holds the first block
 * @param missed lookups that found nobody though the first block was computed a moment before
 */
record LookupFigures(long lookups, long found, long missed) {}
