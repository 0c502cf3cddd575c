// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.core.model.SafeText;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What routers tell each other about one request in flight: booked, computed its prompt, ended.
 * Workers send the second kind too, under their own id.
 */
public final class ActiveSequenceEvent {

  /** What happened to the request. */
  public enum Kind {
    ADD_REQUEST("AddRequest"),
    MARK_PREFILL_COMPLETED("MarkPrefillCompleted"),
    FREE("Free");

    private final String wireName;

    Kind(String wireName) {
      this.wireName = wireName;
    }

    public String wireName() {
      return wireName;
    }
  }

  private final String requestId;
  private final WorkerWithDpRank worker;
  private final Kind kind;
  private final @Nullable AddedSequence added;
  private final long routerId;
  private final @Nullable String loraName;

  private ActiveSequenceEvent(
      String requestId,
      WorkerWithDpRank worker,
      Kind kind,
      @Nullable AddedSequence added,
      long routerId,
      @Nullable String loraName) {
    this.requestId = Objects.requireNonNull(requestId, "requestId");
    this.worker = Objects.requireNonNull(worker, "worker");
    this.kind = Objects.requireNonNull(kind, "kind");
    this.added = added;
    this.routerId = routerId;
    this.loraName = loraName;
  }

  /** Says that a request was booked. */
  public static ActiveSequenceEvent add(
      String requestId,
      WorkerWithDpRank worker,
      AddedSequence added,
      long routerId,
      @Nullable String loraName) {
    Objects.requireNonNull(added, "added");
    return new ActiveSequenceEvent(requestId, worker, Kind.ADD_REQUEST, added, routerId, loraName);
  }

  /** Says that a request's prompt is computed. */
  public static ActiveSequenceEvent markPrefillCompleted(
      String requestId, WorkerWithDpRank worker, long routerId, @Nullable String loraName) {
    return new ActiveSequenceEvent(
        requestId, worker, Kind.MARK_PREFILL_COMPLETED, null, routerId, loraName);
  }

  /** Says that a request has ended. */
  public static ActiveSequenceEvent free(
      String requestId, WorkerWithDpRank worker, long routerId, @Nullable String loraName) {
    return new ActiveSequenceEvent(requestId, worker, Kind.FREE, null, routerId, loraName);
  }

  public String requestId() {
    return requestId;
  }

  /** Returns the rank that the request is booked on. */
  public WorkerWithDpRank worker() {
    return worker;
  }

  public Kind kind() {
    return kind;
  }

  /** Returns what was booked, null unless the kind is {@link Kind#ADD_REQUEST}. */
  public @Nullable AddedSequence added() {
    return added;
  }

  /** Returns the sender's id, an unsigned 64-bit pattern. */
  public long routerId() {
    return routerId;
  }

  public @Nullable String loraName() {
    return loraName;
  }

  @Override
  public String toString() {
    return kind
        + "[request="
        + SafeText.of(requestId)
        + ", worker="
        + worker
        + ", router="
        + Long.toUnsignedString(routerId)
        + "]";
  }
}
