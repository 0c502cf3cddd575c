// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.engine;

import java.util.Map;

/** Counters of an {@link EngineEventNormalizer} at one moment; they never go back. */
public final class EngineEventStatus {

  /** Whether what the engine said has become events. */
  public enum Health {
    /** Every event was used, or had nothing to say to a router. */
    COMPLETE,
    /** Some messages or events were lost by their content. */
    LOSSY,
    /** Messages came, and nothing in any of them could be used. */
    UNUSABLE
  }

  private final Map<EngineEventCounter, Long> counts;
  private final Map<EngineEventReject, Long> rejects;

  EngineEventStatus(Map<EngineEventCounter, Long> counts, Map<EngineEventReject, Long> rejects) {
    this.counts = counts;
    this.rejects = rejects;
  }

  private long count(EngineEventCounter counter) {
    return counts.getOrDefault(counter, 0L);
  }

  /** Returns how many messages came. */
  public long messages() {
    return count(EngineEventCounter.MESSAGES);
  }

  /** Returns how many messages were no batch of events as a whole. */
  public long unreadableMessages() {
    return count(EngineEventCounter.UNREADABLE_MESSAGES);
  }

  /** Returns how many events of the engine were used. */
  public long acceptedEvents() {
    return count(EngineEventCounter.ACCEPTED_EVENTS);
  }

  /** Returns how many blocks were stored by events that were used. */
  public long storedBlocks() {
    return count(EngineEventCounter.STORED_BLOCKS);
  }

  /** Returns how many blocks were removed by events that were used. */
  public long removedBlocks() {
    return count(EngineEventCounter.REMOVED_BLOCKS);
  }

  /** Returns how many blocks of used events were left out because they are not full. */
  public long partialBlocks() {
    return count(EngineEventCounter.PARTIAL_BLOCKS);
  }

  /** Returns how many stores took their namespace from a salt that is not declared as one. */
  public long undeclaredSalts() {
    return count(EngineEventCounter.UNDECLARED_SALTS);
  }

  /** Returns how many events of the engine were refused for this reason. */
  public long rejected(EngineEventReject reason) {
    return rejects.getOrDefault(reason, 0L);
  }

  /** Returns how many events of the engine were refused. */
  public long rejected() {
    return rejects.values().stream().mapToLong(Long::longValue).sum();
  }

  public Health health() {
    long lost = unreadableMessages();
    for (EngineEventReject reason : EngineEventReject.values()) {
      lost += reason.isLoss() ? rejected(reason) : 0;
    }
    if (lost == 0) {
      return Health.COMPLETE;
    }
    return acceptedEvents() == 0 ? Health.UNUSABLE : Health.LOSSY;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("EngineEventStatus[health=").append(health());
    for (EngineEventCounter counter : EngineEventCounter.values()) {
      text.append(", ").append(counter).append('=').append(count(counter));
    }
    for (EngineEventReject reason : EngineEventReject.values()) {
      if (rejected(reason) > 0) {
        text.append(", ").append(reason).append('=').append(rejected(reason));
      }
    }
    return text.append(']').toString();
  }
}
