// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.event;

/** What an attempt waits for; each is bounded by a timeout of its own. */
public enum AttemptPhase {
  /** A worker to be chosen, and to acknowledge the request. */
  CONNECT("connect"),
  /** The acknowledged worker to open its stream. */
  PROLOGUE("prologue"),
  /** The open stream's first token. */
  FIRST_TOKEN("first_token"),
  /** The next token. */
  NEXT_TOKEN("next_token"),
  /** Nothing but the end of the stream. */
  END("end");

  private final String label;

  AttemptPhase(String label) {
    this.label = label;
  }

  /** Returns a name for metric labels. */
  public String label() {
    return label;
  }
}
