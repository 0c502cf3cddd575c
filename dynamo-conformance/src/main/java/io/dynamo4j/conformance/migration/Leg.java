// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dynamo4j.core.model.ErrorType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one worker was to do for one attempt, and when: seen from outside of the library. */
final class Leg {
  static final long NEVER = Long.MAX_VALUE;

  final String requestId;
  final int attempt;
  final String worker;
  final long sentNanos;

  /** The request as the worker received it, or null if it got nowhere. */
  @Nullable ObjectNode received;

  /** What it met instead of a stream, or null. */
  @Nullable ErrorType refusal;

  long refusedNanos = NEVER;

  /** What the worker did in its stream, or null if it opened none. */
  @Nullable List<Act> script;

  long startNanos = NEVER;

  /** When the worker's process died or stood still. */
  long diedNanos = NEVER;

  long frozenNanos = NEVER;
  long thawedNanos = NEVER;

  /** When the worker was told to stop while it was at work. */
  long stoppedNanos = NEVER;

  /** When the script was over by itself. */
  long overNanos = NEVER;

  /** How the script ended, as {@link WorkerEvents} tells it. */
  String ending = WorkerEvents.NOTHING;

  Leg(String requestId, int attempt, String worker, long sentNanos) {
    this.requestId = requestId;
    this.attempt = attempt;
    this.worker = worker;
    this.sentNanos = sentNanos;
  }

  @Override
  public String toString() {
    return "Leg[attempt=" + attempt + ", worker=" + worker + ", refusal=" + refusal + "]";
  }
}
