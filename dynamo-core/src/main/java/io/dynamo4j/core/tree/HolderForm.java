// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

/**
 * How the slots that hold a whole edge are written: while ranks are few as a bit for each slot, in
 * every node alike; beyond that as a few numbers of slots, and as bits only for nodes of a crowd.
 */
final class HolderForm {
  /** A bit a slot up to 1,024 ranks: a node takes 152 bytes then, where 40 do beyond. */
  static final HolderForm STANDARD = new HolderForm(16, SlotNumbers.ROOM);

  private final int mostWords;
  private final int mostNumbers;

  private HolderForm(int mostWords, int mostNumbers) {
    this.mostWords = mostWords;
    this.mostNumbers = mostNumbers;
  }

  /**
   * Returns a form with other limits, for tests.
   *
   * @param mostWords longs of bits that a record has at most, 0 for numbers from the first rank on
   * @param mostNumbers slots that are numbers at most, from 1 to {@link SlotNumbers#ROOM}
   */
  static HolderForm of(int mostWords, int mostNumbers) {
    return new HolderForm(mostWords, mostNumbers);
  }

  boolean hasBitsFor(int words) {
    return words <= mostWords;
  }

  /** Returns the number of slots beyond which a node has a crowd. */
  int mostNumbers() {
    return mostNumbers;
  }

  /** Returns the number of slots from which on down a crowd is none any more: not at once. */
  int fewAgain() {
    return mostNumbers - mostNumbers / 8;
  }
}
