// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.testing;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Right bytes with a few wrong ones among them, the same for the same seed. */
public final class Mutations {
  private final SplittableRandom random;

  private Mutations(long seed) {
    this.random = new SplittableRandom(seed);
  }

  public static Mutations seeded(long seed) {
    return new Mutations(seed);
  }

  /**
   * Returns how many to make of each kind: {@code -Ddynamo4j.mutations=1000000} says otherwise.
   *
   * @param usual what a usual test run makes
   */
  public static int count(int usual) {
    return Integer.getInteger("dynamo4j.mutations", usual);
  }

  public int nextInt(int bound) {
    return random.nextInt(bound);
  }

  /** Returns right bytes cut, made longer, joined with others or changed in up to four places. */
  public byte[] of(byte[] right, byte[] donor) {
    return switch (random.nextInt(6)) {
      case 0 -> Arrays.copyOf(right, random.nextInt(right.length + 1));
      case 1 -> Arrays.copyOf(right, right.length + random.nextInt(9));
      case 2 -> spliced(right, donor);
      default -> flipped(right, 1 + random.nextInt(4));
    };
  }

  private byte[] flipped(byte[] right, int count) {
    byte[] flipped = right.clone();
    for (int i = 0; i < count && flipped.length > 0; i++) {
      int at = random.nextInt(flipped.length);
      boolean oneBit = random.nextBoolean();
      flipped[at] = (byte) (oneBit ? flipped[at] ^ (1 << random.nextInt(8)) : random.nextInt(256));
    }
    return flipped;
  }

  private byte[] spliced(byte[] head, byte[] tail) {
    int fromHead = random.nextInt(head.length + 1);
    int fromTail = random.nextInt(tail.length + 1);
    byte[] joined = Arrays.copyOf(head, fromHead + fromTail);
    System.arraycopy(tail, tail.length - fromTail, joined, fromHead, fromTail);
    return joined;
  }
}
