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

  RequestEntry(ScenarioRequest request) {
    this.request = request;
  }

  ScenarioRequest request() {
    return request;
  }

  /** Returns the dispatches so far, in order. */
  List<AttemptEntry> attempts() {
    return attempts;
  }

  /** Returns whether an attempt that has failed went to this worker. */
  boolean failedOn(int worker) {
    return attempts.stream().anyMatch(attempt -> attempt.isLost() && attempt.worker() == worker);
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

  @Override
  public String toString() {
    return "request=" + request.number();
  }
}
