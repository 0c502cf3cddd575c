// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import java.util.Objects;

/** Until when another worker may take a request over, and what is in the way. */
public final class Replayability {
  private static final Replayability ALWAYS = new Replayability(Extent.ALWAYS, "");

  private final Extent extent;
  private final String obstacle;

  private Replayability(Extent extent, String obstacle) {
    this.extent = extent;
    this.obstacle = Objects.requireNonNull(obstacle, "obstacle");
  }

  /** The delivered tokens say everything; the answer can be continued anywhere, at any time. */
  public static Replayability always() {
    return ALWAYS;
  }

  /**
   * An answer that has begun cannot be continued from its tokens, but nothing prevents another
   * worker from beginning it.
   *
   * @param obstacle the state that tokens do not carry, for messages
   */
  public static Replayability untilOpened(String obstacle) {
    return new Replayability(Extent.UNTIL_OPENED, obstacle);
  }

  /**
   * No other worker may serve the request.
   *
   * @param obstacle why, for messages
   */
  public static Replayability never(String obstacle) {
    return new Replayability(Extent.NEVER, obstacle);
  }

  public Extent extent() {
    return extent;
  }

  /** Returns what is in the way, empty for {@link Extent#ALWAYS}. */
  public String obstacle() {
    return obstacle;
  }

  @Override
  public String toString() {
    return obstacle.isEmpty() ? extent.name() : extent + "(" + obstacle + ")";
  }

  /** Until when a request may move to another worker. */
  public enum Extent {
    ALWAYS,
    UNTIL_OPENED,
    NEVER
  }
}
