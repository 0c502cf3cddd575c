// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the ledger knows of one request. */
final class RequestEntry {
  private final ScenarioRequest request;
  private final List<AttemptEntry> attempts = new ArrayList<>();
  private final RequestTimes times;
  private @Nullable AttemptEntry lastLost;
  private long requestedItems;
  private long deliveredItems;
  private int deliveredTokens;
  private boolean cancelled;
  private boolean ended;
  private boolean completed;
  private boolean vetoed;

  RequestEntry(ScenarioRequest request, RequestTimes times) {
    this.request = request;
    this.times = times;
  }

  ScenarioRequest request() {
    return request;
  }

  /** Returns the id under which the request is known. */
  String id() {
    return Integer.toString(request.number());
  }

  /** Returns the dispatches so far, in order. */
  List<AttemptEntry> attempts() {
    return attempts;
  }

  /** Returns whether an attempt that has failed went to this worker. */
  boolean failedOn(int worker) {
    return attempts.stream().anyMatch(attempt -> attempt.isLost() && attempt.worker() == worker);
  }

  /** Returns whether a worker failed the request or serves it: it is not asked again. */
  boolean triedOn(int worker) {
    return attempts.stream()
        .anyMatch(
            attempt -> (attempt.isLost() || attempt.isRunning()) && attempt.worker() == worker);
  }

  /** Returns whether an attempt other than this one runs. */
  boolean runsBeside(AttemptEntry attempt) {
    return attempts.stream().anyMatch(other -> other != attempt && other.isRunning());
  }

  /** Returns whether an attempt is to take over from one that still runs. */
  boolean isMoving(AttemptEntry attempt) {
    return attempt.isMove()
        && attempts.stream()
            .anyMatch(other -> other.isRunning() && other.number() < attempt.number());
  }

  long runningAttempts() {
    return attempts.stream().filter(AttemptEntry::isRunning).count();
  }

  void lost(AttemptEntry attempt) {
    attempt.lost();
    lastLost = attempt;
  }

  /** Returns whether the last attempt to be lost was lost for want of a worker. */
  boolean isWanting() {
    return lastLost != null && lastLost.isWanting();
  }

  RequestTimes times() {
    return times;
  }

  /** Returns items the client has asked for, saturating. */
  long requestedItems() {
    return requestedItems;
  }

  void requested(long items) {
    requestedItems = requestedItems + items < 0 ? Long.MAX_VALUE : requestedItems + items;
  }

  long deliveredItems() {
    return deliveredItems;
  }

  int deliveredTokens() {
    return deliveredTokens;
  }

  void delivered(int tokens) {
    deliveredItems++;
    deliveredTokens += tokens;
  }

  boolean isCancelled() {
    return cancelled;
  }

  void cancelled() {
    cancelled = true;
  }

  boolean isEnded() {
    return ended;
  }

  void ended() {
    ended = true;
  }

  /** Returns whether the client got a clean end. */
  boolean isCompleted() {
    return completed;
  }

  void completed() {
    completed = true;
  }

  /** Returns whether the client neither left nor got a terminal signal. */
  boolean isOpen() {
    return !ended && !cancelled;
  }

  /** Returns whether an attempt failed in a way that no other worker repairs. */
  boolean isVetoed() {
    return vetoed;
  }

  void vetoed() {
    vetoed = true;
  }

  /** Returns whether a worker has opened its stream, in any attempt. */
  boolean hasOpened() {
    return attempts.stream().anyMatch(AttemptEntry::isOpened);
  }

  /**
   * Returns how many attempts count against the limit: all but moves from draining workers and
   * those that found no worker to ask.
   */
  long budgetedAttempts() {
    return attempts.stream().filter(attempt -> !attempt.isMove() && !attempt.isWanting()).count();
  }

  /** Returns how many attempts may have counted against the limit. */
  long mostBudgetedAttempts() {
    return budgetedAttempts()
        + attempts.stream().filter(attempt -> attempt.isUnsure() && !attempt.isWanting()).count();
  }

  /** Returns whether the client has its whole answer, apart from the end. */
  boolean isWhole() {
    return deliveredTokens == request.outputTokens();
  }

  @Override
  public String toString() {
    return "request=" + request.number() + ", attempts=" + attempts;
  }
}
