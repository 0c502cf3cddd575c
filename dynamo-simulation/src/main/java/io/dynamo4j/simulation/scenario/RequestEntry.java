// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import java.util.ArrayList;
import java.util.List;

/** What the ledger knows of one request. */
final class RequestEntry {
  private final ScenarioRequest request;
  private final List<AttemptEntry> attempts = new ArrayList<>();
  private long requestedItems;
  private long deliveredItems;
  private int deliveredTokens;
  private boolean cancelled;
  private boolean ended;
  private boolean vetoed;

  RequestEntry(ScenarioRequest request) {
    this.request = request;
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

  /** Returns whether a worker failed the request or was left in a drain: it is not asked again. */
  boolean triedOn(int worker) {
    return attempts.stream()
        .anyMatch(
            attempt -> (attempt.isLost() || attempt.isLeftByMove()) && attempt.worker() == worker);
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

  /** Returns how many attempts count against the limit: all but moves from draining workers. */
  long budgetedAttempts() {
    return attempts.stream().filter(attempt -> !attempt.isMove()).count();
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
