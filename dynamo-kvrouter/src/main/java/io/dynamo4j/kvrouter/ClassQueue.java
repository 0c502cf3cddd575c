// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.kvrouter.QueueRejectedException.Limit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Waiting requests of one class: one line for those that any rank may take, one for each pinned
 * rank. A line whose first request cannot go stands; the others go on.
 *
 * <p><b>Threads.</b> Belongs to the queue's lane.
 */
final class ClassQueue {
  final PolicyClass policy;
  private final Line shared = new Line();
  private final Map<WorkerWithDpRank, Line> pinned = new LinkedHashMap<>();
  private int requests;
  private long promptTokens;
  private long cachedTokens;
  long deficit;

  /** Requests in their order; blocked once its first was seen to be, until the next pass. */
  private static final class Line {
    final TreeSet<Waiting> order = new TreeSet<>(Waiting.ORDER);
    boolean blocked;
  }

  ClassQueue(PolicyClass policy) {
    this.policy = policy;
  }

  int size() {
    return requests;
  }

  long promptTokens() {
    return promptTokens;
  }

  QueueStatus.OfClass status() {
    return new QueueStatus.OfClass(policy.name(), requests, promptTokens, cachedTokens);
  }

  /**
   * Refuses a request for which there is no room. What waits already counts, not what comes: one
   * large request may go beyond a limit in tokens.
   *
   * @throws QueueRejectedException with the first limit that is reached
   */
  void requireRoom(BookingKey key, int workers) {
    check(key, Limit.REQUESTS, requests, policy.requestLimitPerWorker(), workers);
    check(key, Limit.PROMPT_TOKENS, promptTokens, policy.promptTokenLimitPerWorker(), workers);
    check(key, Limit.CACHED_TOKENS, cachedTokens, policy.cachedTokenLimitPerWorker(), workers);
  }

  private void check(BookingKey key, Limit kind, long current, long perWorker, int workers) {
    long limit =
        perWorker > Long.MAX_VALUE / Math.max(1, workers) ? Long.MAX_VALUE : perWorker * workers;
    if (current >= limit) {
      throw new QueueRejectedException(key, policy.name(), kind, current, limit);
    }
  }

  void add(Waiting waiting) {
    lineOf(waiting).order.add(waiting);
    requests++;
    promptTokens += waiting.promptTokens();
    cachedTokens += waiting.cachedTokens;
  }

  void remove(Waiting waiting) {
    Line line = lineOf(waiting);
    if (!line.order.remove(waiting)) {
      return;
    }
    requests--;
    promptTokens -= waiting.promptTokens();
    cachedTokens -= waiting.cachedTokens;
    WorkerWithDpRank rank = waiting.request.routing().pinnedWorker();
    if (rank != null && line.order.isEmpty()) {
      pinned.remove(rank);
    }
  }

  private Line lineOf(Waiting waiting) {
    WorkerWithDpRank rank = waiting.request.routing().pinnedWorker();
    return rank == null ? shared : pinned.computeIfAbsent(rank, key -> new Line());
  }

  /** Returns what the first of all lines costs, beyond any saving where nobody waits. */
  long costOfFirst() {
    Waiting first = shared.order.isEmpty() ? null : shared.order.first();
    for (Line line : pinned.values()) {
      Waiting head = line.order.first();
      first = first == null || Waiting.ORDER.compare(head, first) < 0 ? head : first;
    }
    return first == null ? Long.MAX_VALUE : first.cost();
  }

  /** Begins another pass: every line is looked at again. */
  void unblock() {
    shared.blocked = false;
    pinned.values().forEach(line -> line.blocked = false);
  }

  /** Marks the line of a request that turned out not to go. */
  void block(Waiting waiting) {
    lineOf(waiting).blocked = true;
  }

  /** Returns the first request, over all lines, that may go now; each line is asked once a pass. */
  @Nullable Waiting firstToGo(Predicate<Waiting> mayGo) {
    Waiting first = headOf(shared, null, mayGo);
    for (Line line : pinned.values()) {
      first = headOf(line, first, mayGo);
    }
    return first;
  }

  private static @Nullable Waiting headOf(
      Line line, @Nullable Waiting before, Predicate<Waiting> mayGo) {
    if (line.blocked || line.order.isEmpty()) {
      return before;
    }
    Waiting head = line.order.first();
    if (before != null && Waiting.ORDER.compare(before, head) < 0) {
      return before;
    }
    if (mayGo.test(head)) {
      return head;
    }
    line.blocked = true;
    return before;
  }
}
