// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.testkit.search.FaultSpec;

/**
 * The faults of a fleet and how their triggers are written.
 *
 * <p>{@code r17@5} is the moment when request 17's client has five tokens, {@code r17#1} the second
 * attempt of request 17, {@code r17#1@5} that attempt once it has brought five tokens.
 */
final class FaultKinds {
  /**
   * The worker that serves the request dies for {@code parameter} milliseconds, below 0 for good.
   */
  static final String CRASH = "crash";

  /** The attempt is refused, with the error of {@link FaultErrors} that {@code parameter} names. */
  static final String REFUSE = "refuse";

  /** The attempt is taken and never answered. */
  static final String MUTE = "mute";

  /** The attempt's stream falls silent; what was held back comes once it is given up. */
  static final String HANG = "hang";

  /** Everything that the attempt brings comes {@code parameter} milliseconds late. */
  static final String LAG = "lag";

  /** The attempt's stream breaks, with the error of {@link FaultErrors} as well. */
  static final String BREAK = "break";

  /** The attempt's stream ends in order but without a finish reason. */
  static final String TRUNCATE = "truncate";

  /** The worker that serves the request stands still for {@code parameter} milliseconds. */
  static final String STALL = "stall";

  /** The client leaves. */
  static final String CANCEL = "cancel";

  /** The client leaves {@code parameter} milliseconds after it came. */
  static final String LEAVE = "leave";

  /** The client throws at the item that brings its token. */
  static final String THROW = "throw";

  /**
   * The worker that serves the request is drained within {@code parameter} milliseconds, then
   * restarted.
   */
  static final String DRAIN = "drain";

  /** The client takes {@code parameter} items at a time. */
  static final String WINDOW = "window";

  private FaultKinds() {}

  static String atToken(int request, int tokens) {
    return "r" + request + "@" + tokens;
  }

  static String attempt(int request, int attempt) {
    return "r" + request + "#" + attempt;
  }

  static String attemptAtToken(int request, int attempt, int tokens) {
    return attempt(request, attempt) + "@" + tokens;
  }

  static FaultSpec crash(int request, int tokens, double downMillis) {
    return new FaultSpec(CRASH, atToken(request, tokens), "serving", downMillis);
  }

  static FaultSpec refuse(int request, int attempt, int error) {
    return new FaultSpec(REFUSE, attempt(request, attempt), "dispatch", error);
  }

  static FaultSpec mute(int request, int attempt) {
    return new FaultSpec(MUTE, attempt(request, attempt), "dispatch", 0);
  }

  static FaultSpec hang(int request, int attempt, int tokens) {
    return new FaultSpec(HANG, attemptAtToken(request, attempt, tokens), "stream", 0);
  }

  static FaultSpec lag(int request, int attempt, double millis) {
    return new FaultSpec(LAG, attempt(request, attempt), "stream", millis);
  }

  static FaultSpec breakStream(int request, int attempt, int tokens, int error) {
    return new FaultSpec(BREAK, attemptAtToken(request, attempt, tokens), "stream", error);
  }

  static FaultSpec truncate(int request, int attempt, int tokens) {
    return new FaultSpec(TRUNCATE, attemptAtToken(request, attempt, tokens), "stream", 0);
  }

  static FaultSpec stall(int request, int tokens, double millis) {
    return new FaultSpec(STALL, atToken(request, tokens), "serving", millis);
  }

  static FaultSpec cancel(int request, int tokens) {
    return new FaultSpec(CANCEL, atToken(request, tokens), "client", 0);
  }

  static FaultSpec leave(int request, double millis) {
    return new FaultSpec(LEAVE, "r" + request, "client", millis);
  }

  static FaultSpec throwing(int request, int tokens) {
    return new FaultSpec(THROW, atToken(request, tokens), "client", 0);
  }

  static FaultSpec drain(int request, int tokens, double withinMillis) {
    return new FaultSpec(DRAIN, atToken(request, tokens), "serving", withinMillis);
  }

  static FaultSpec window(int request, int items) {
    return new FaultSpec(WINDOW, "r" + request, "client", items);
  }
}
