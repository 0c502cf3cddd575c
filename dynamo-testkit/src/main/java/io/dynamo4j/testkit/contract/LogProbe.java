// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.LogEntry;
import io.dynamo4j.plane.LogListener;
import io.dynamo4j.plane.LogSubscription;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Keeps what a reader is told, and notes what it should not have been told so. */
final class LogProbe implements LogListener {
  private final ProbeLane lane;
  private final List<LogEntry> entries = new CopyOnWriteArrayList<>();
  private final List<String> violations = new CopyOnWriteArrayList<>();
  private volatile @Nullable LogSubscription subscription;
  private volatile @Nullable DurableLogException failure;
  private volatile boolean ready;
  private volatile boolean acknowledging;

  LogProbe(ProbeLane lane) {
    this.lane = lane;
  }

  Scheduler lane() {
    return lane;
  }

  void subscribed(LogSubscription made) {
    subscription = made;
  }

  LogSubscription subscription() {
    return Objects.requireNonNull(subscription);
  }

  /** Acknowledges what has come, and from now on each entry as it comes. */
  void acknowledgeAtOnce() {
    acknowledging = true;
    subscription().acknowledge(entries.get(entries.size() - 1).sequence());
  }

  boolean isReady() {
    return ready;
  }

  @Nullable DurableLogException failure() {
    return failure;
  }

  int count() {
    return entries.size();
  }

  long[] sequences() {
    return entries.stream().mapToLong(LogEntry::sequence).toArray();
  }

  List<String> texts() {
    return entries.stream()
        .map(entry -> new String(entry.payload(), StandardCharsets.UTF_8))
        .toList();
  }

  List<String> violations() {
    return violations;
  }

  @Override
  public void ready() {
    require(lane.isCurrent(), "ready outside of the lane");
    require(!ready, "ready twice");
    ready = true;
  }

  @Override
  public void entry(LogEntry entry) {
    require(lane.isCurrent(), "entry outside of the lane");
    require(ready, "entry before ready");
    require(failure == null, "entry after the end");
    require(
        entries.isEmpty() || entries.get(entries.size() - 1).sequence() < entry.sequence(),
        "number does not grow: " + entry);
    entries.add(entry);
    if (acknowledging) {
      subscription().acknowledge(entry.sequence());
    }
  }

  @Override
  public void failed(DurableLogException thrown) {
    require(lane.isCurrent(), "failure outside of the lane");
    require(failure == null, "two failures");
    failure = thrown;
  }

  private void require(boolean holds, String breach) {
    if (!holds) {
      violations.add(breach);
    }
  }
}
