// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.search;

import java.util.Optional;

/** What is compared of a run: its trace hash and checkpoints, as one line of text or in memory. */
final class TraceRecord {
  private final long traceHash;
  private final long eventCount;
  private final long[] checkpoints;

  private TraceRecord(long traceHash, long eventCount, long[] checkpoints) {
    this.traceHash = traceHash;
    this.eventCount = eventCount;
    this.checkpoints = checkpoints;
  }

  static TraceRecord of(RunOutcome outcome) {
    return new TraceRecord(outcome.traceHash(), outcome.eventCount(), outcome.checkpoints());
  }

  static TraceRecord parse(String line) {
    String[] words = line.split(" ", -1);
    long[] checkpoints = new long[words.length - 2];
    for (int i = 0; i < checkpoints.length; i++) {
      checkpoints[i] = Long.parseLong(words[i + 2]);
    }
    return new TraceRecord(Long.parseLong(words[0]), Long.parseLong(words[1]), checkpoints);
  }

  Optional<TraceDifference> compare(
      TraceRecord other, ScenarioSpec spec, TraceDifference.Rerun rerun) {
    if (traceHash == other.traceHash && eventCount == other.eventCount) {
      return Optional.empty();
    }
    int common = Math.min(checkpoints.length, other.checkpoints.length);
    int same = 0;
    while (same < common && checkpoints[same] == other.checkpoints[same]) {
      same++;
    }
    long interval = interval(other);
    long first = same * interval + 1;
    long end = Math.max(eventCount, other.eventCount);
    long last = same < common ? (same + 1) * interval : Math.min(end, (same + 1) * interval);
    return Optional.of(new TraceDifference(spec, rerun, first, Math.max(first, last)));
  }

  /** Returns how many events lie between checkpoints: the power of two that fits the counts. */
  private long interval(TraceRecord other) {
    TraceRecord longer = checkpoints.length >= other.checkpoints.length ? this : other;
    return longer.checkpoints.length == 0
        ? Long.highestOneBit(Math.max(1, Math.max(eventCount, other.eventCount))) * 2
        : Long.highestOneBit(longer.eventCount / longer.checkpoints.length);
  }

  @Override
  public String toString() {
    StringBuilder line = new StringBuilder().append(traceHash).append(' ').append(eventCount);
    for (long checkpoint : checkpoints) {
      line.append(' ').append(checkpoint);
    }
    return line.toString();
  }
}
