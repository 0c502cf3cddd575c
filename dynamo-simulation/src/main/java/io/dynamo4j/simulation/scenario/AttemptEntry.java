// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.model.LLMEngineOutput;
import org.jspecify.annotations.Nullable;

/** What the ledger knows of one dispatch of a request. */
final class AttemptEntry {
  /** Marks that no worker was chosen. */
  static final int NO_WORKER = -1;

  private final int number;
  private final long dispatchedNanos;
  private int worker = NO_WORKER;
  private long lifeAtDispatch;
  private int tokens;
  private boolean opened;
  private boolean lost;
  private boolean givenUp;
  private boolean ended;
  private boolean move;
  private boolean hedge;
  private boolean unsure;
  private boolean wanting;
  private boolean counted;
  private boolean leftByMove;
  private boolean faulted;
  private @Nullable LLMEngineOutput heldBack;

  AttemptEntry(int number, long dispatchedNanos) {
    this.number = number;
    this.dispatchedNanos = dispatchedNanos;
  }

  int number() {
    return number;
  }

  long dispatchedNanos() {
    return dispatchedNanos;
  }

  /** Returns the chosen worker's position, or {@link #NO_WORKER}. */
  int worker() {
    return worker;
  }

  void chosen(int position, long life) {
    worker = position;
    lifeAtDispatch = life;
  }

  long lifeAtDispatch() {
    return lifeAtDispatch;
  }

  int tokens() {
    return tokens;
  }

  void brought(int more) {
    tokens += more;
  }

  /** Returns whether its worker opened the stream. */
  boolean isOpened() {
    return opened;
  }

  void opened() {
    opened = true;
  }

  /** The migrator or the client cancelled it. */
  void givenUp() {
    givenUp = true;
  }

  /** Returns whether it takes a healthy stream over from a draining worker. */
  boolean isMove() {
    return move;
  }

  void move() {
    move = true;
  }

  /** Returns whether it races with another one for the first token. */
  boolean isHedge() {
    return hedge;
  }

  void hedge() {
    hedge = true;
  }

  /** Returns whether it may be a race for the first token as well as a move. */
  boolean isUnsure() {
    return unsure;
  }

  void unsure() {
    unsure = true;
  }

  /** Says which of both it is. */
  void resolve(boolean isHedge) {
    unsure = false;
    hedge = isHedge;
    move = !isHedge;
  }

  /** Returns whether it found no worker to ask. */
  boolean isWanting() {
    return wanting;
  }

  void wanting() {
    wanting = true;
  }

  /** Returns whether its loss must have been counted as a migration or the want of one. */
  boolean isCounted() {
    return counted;
  }

  void counted() {
    counted = true;
  }

  /** Returns whether the request was moved away from it. */
  boolean isLeftByMove() {
    return leftByMove;
  }

  void leftByMove() {
    leftByMove = true;
    givenUp = true;
  }

  /** Returns whether it may still bring something. */
  boolean isRunning() {
    return !lost && !givenUp && !ended;
  }

  void ended() {
    ended = true;
  }

  /** Returns whether the attempt ended without an answer. */
  boolean isLost() {
    return lost;
  }

  void lost() {
    lost = true;
  }

  @Override
  public String toString() {
    String state = lost ? "lost" : leftByMove ? "left" : givenUp ? "given up" : "running";
    return number + (move ? " (move)" : hedge ? " (hedge)" : "") + " at " + worker + " " + state;
  }

  /** Keeps what a silent worker has and does not bring yet. */
  void heldBack(LLMEngineOutput item) {
    heldBack = item;
  }

  /** Returns what was held back, once. */
  @Nullable LLMEngineOutput takeHeldBack() {
    LLMEngineOutput item = heldBack;
    heldBack = null;
    return item;
  }

  /** Returns whether a fault was injected into this attempt. */
  boolean isFaulted() {
    return faulted;
  }

  void faulted() {
    faulted = true;
  }
}
