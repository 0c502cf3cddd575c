// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.script;

import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.Attempt;

/** One attempt as a scripted worker saw it. */
public final class ScriptedDispatch {
  private final PreprocessedRequest request;
  private final Attempt attempt;
  private final WorkerWithDpRank worker;
  private long requestedItems;
  private long sentItems;
  private boolean cancelled;
  private boolean ended;

  ScriptedDispatch(PreprocessedRequest request, Attempt attempt, WorkerWithDpRank worker) {
    this.request = request;
    this.attempt = attempt;
    this.worker = worker;
  }

  /** Returns the request as the worker received it. */
  public PreprocessedRequest request() {
    return request;
  }

  public Attempt attempt() {
    return attempt;
  }

  public WorkerWithDpRank worker() {
    return worker;
  }

  /** Returns how many items were asked for; {@code Long.MAX_VALUE} is unbounded. */
  public long requestedItems() {
    return requestedItems;
  }

  public long sentItems() {
    return sentItems;
  }

  /** Returns whether the worker was told to stop. */
  public boolean isCancelled() {
    return cancelled;
  }

  /** Returns whether the worker ended the stream itself. */
  public boolean isEnded() {
    return ended;
  }

  void addRequested(long n) {
    long sum = requestedItems + n;
    requestedItems = sum < 0 ? Long.MAX_VALUE : sum;
  }

  void addSent() {
    sentItems++;
  }

  void setCancelled() {
    cancelled = true;
  }

  void setEnded() {
    ended = true;
  }

  @Override
  public String toString() {
    return "ScriptedDispatch[attempt="
        + attempt
        + ", worker="
        + worker
        + ", tokens="
        + request.tokenIds().length()
        + ", sentItems="
        + sentItems
        + ", cancelled="
        + cancelled
        + "]";
  }
}
