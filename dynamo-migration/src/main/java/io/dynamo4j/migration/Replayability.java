// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Until when another worker may take a request over, and what is in the way. */
public final class Replayability {
  private static final Replayability ALWAYS = new Replayability(Extent.ALWAYS, "", "", null);

  private final Extent extent;
  private final String obstacle;
  private final String capability;
  private final @Nullable Correction correction;

  private Replayability(
      Extent extent, String obstacle, String capability, @Nullable Correction correction) {
    this.extent = extent;
    this.obstacle = Objects.requireNonNull(obstacle, "obstacle");
    this.capability = Objects.requireNonNull(capability, "capability");
    this.correction = correction;
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
    return new Replayability(Extent.UNTIL_OPENED, obstacle, "", null);
  }

  /**
   * No other worker may serve the request.
   *
   * @param obstacle why, for messages
   */
  public static Replayability never(String obstacle) {
    return new Replayability(Extent.NEVER, obstacle, "", null);
  }

  /**
   * Returns the same with an exception: workers that declare this in {@code
   * WorkerInstance.resumes()} rebuild the missing state from the tokens, so that an answer that has
   * begun goes on at them, and at no other. Takes effect in a migrator that knows the directory.
   *
   * @param capability the name that workers declare
   */
  public Replayability unlessResumedBy(String capability) {
    return new Replayability(extent, obstacle, capability, correction);
  }

  /** Returns the same as a precaution that holds only while {@code correction} is on. */
  public Replayability onlyWith(Correction correction) {
    return new Replayability(extent, obstacle, capability, correction);
  }

  /** Returns what holds under these options. */
  Replayability under(MigrationOptions options) {
    return correction == null || options.has(correction) ? this : ALWAYS;
  }

  public Extent extent() {
    return extent;
  }

  /** Returns what is in the way, empty for {@link Extent#ALWAYS}. */
  public String obstacle() {
    return obstacle;
  }

  /** Returns what a worker must declare to continue an answer that has begun, perhaps empty. */
  public String capability() {
    return capability;
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
