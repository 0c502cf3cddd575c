// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import java.util.Objects;

/**
 * What one event did to an index. Expected trouble is an outcome here, never an exception.
 *
 * <p>Belongs to the index that returned it and is overwritten by its next {@code apply}, so that a
 * steady stream of events makes no garbage: read it at once, on the writer's lane.
 */
public final class ApplyResult {

  /** How an event ended. */
  public enum Outcome {
    /** Took effect as a whole. */
    APPLIED,
    /** A store that named only blocks which the worker already holds at that place; no change. */
    DUPLICATE,
    /** A store under a parent that the worker does not hold; nothing of it was applied. */
    PARENT_NOT_FOUND,
    /** A store that names its own parent among its blocks; nothing of it was applied. */
    SELF_REFERENCE,
    /** A removal in which some hashes were not held; the others were removed. */
    UNKNOWN_BLOCKS,
    /** A store for which there is no worker slot or no room; nothing of it was applied. */
    OUT_OF_CAPACITY
  }

  private Outcome outcome = Outcome.APPLIED;
  private int addedBlocks;
  private int duplicateBlocks;
  private int removedBlocks;
  private int unknownBlocks;
  private int rejectedBlocks;

  private ApplyResult() {}

  /** Returns a result to be filled by an index. */
  public static ApplyResult create() {
    return new ApplyResult();
  }

  /**
   * Becomes the result of a store; {@link Outcome#DUPLICATE} if every block, and at least one, was
   * known.
   */
  public ApplyResult stored(int added, int duplicates) {
    reset(added == 0 && duplicates > 0 ? Outcome.DUPLICATE : Outcome.APPLIED);
    addedBlocks = added;
    duplicateBlocks = duplicates;
    return this;
  }

  /** Becomes the result of a removal. */
  public ApplyResult removed(int removed, int unknown) {
    reset(unknown == 0 ? Outcome.APPLIED : Outcome.UNKNOWN_BLOCKS);
    removedBlocks = removed;
    unknownBlocks = unknown;
    return this;
  }

  /** Becomes the result of an event of which nothing was applied. */
  public ApplyResult rejected(Outcome reason, int blocks) {
    reset(Objects.requireNonNull(reason, "reason"));
    rejectedBlocks = blocks;
    return this;
  }

  private void reset(Outcome next) {
    outcome = next;
    addedBlocks = 0;
    duplicateBlocks = 0;
    removedBlocks = 0;
    unknownBlocks = 0;
    rejectedBlocks = 0;
  }

  public Outcome outcome() {
    return outcome;
  }

  /** Returns whether nothing of the event was applied for want of a parent, order or room. */
  public boolean isRejected() {
    return switch (outcome) {
      case PARENT_NOT_FOUND, SELF_REFERENCE, OUT_OF_CAPACITY -> true;
      case APPLIED, DUPLICATE, UNKNOWN_BLOCKS -> false;
    };
  }

  /** Returns the (hash, place) pairs that the worker holds only since this store. */
  public int addedBlocks() {
    return addedBlocks;
  }

  /** Returns the (hash, place) pairs of this store that the worker held before. */
  public int duplicateBlocks() {
    return duplicateBlocks;
  }

  /** Returns the (hash, place) pairs given up by this removal or clear. */
  public int removedBlocks() {
    return removedBlocks;
  }

  /** Returns the hashes of this removal that the worker did not hold. */
  public int unknownBlocks() {
    return unknownBlocks;
  }

  /** Returns the blocks of a store that was refused as a whole. */
  public int rejectedBlocks() {
    return rejectedBlocks;
  }

  @Override
  public String toString() {
    return "ApplyResult[outcome="
        + outcome
        + ", added="
        + addedBlocks
        + ", duplicate="
        + duplicateBlocks
        + ", removed="
        + removedBlocks
        + ", unknown="
        + unknownBlocks
        + ", rejected="
        + rejectedBlocks
        + "]";
  }
}
