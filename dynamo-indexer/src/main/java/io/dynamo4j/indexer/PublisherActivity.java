// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

/**
 * What came from one publisher of events, whoever it writes for.
 *
 * @param publisherId unsigned
 * @param envelopes that came
 * @param unreadable envelopes and events among them that could not be read
 * @param lagMillis from publishing to receipt, by the two wall clocks: the least of the last
 *     {@value #REMEMBERED_LAGS} envelopes; negative if the publisher's clock is ahead
 * @param silentNanos since the last envelope
 */
public record PublisherActivity(
    long publisherId, long envelopes, long unreadable, long lagMillis, long silentNanos) {
  /** How many envelopes {@link #lagMillis} is the least of. */
  public static final int REMEMBERED_LAGS = 8;
}
