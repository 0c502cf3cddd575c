// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.token;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Read-only view of token ids in an array that nobody writes to within the view's range.
 *
 * <p>Token ids are unsigned 32-bit patterns in an {@code int}. Making a view copies nothing.
 *
 * <p><b>Threads.</b> Immutable as long as the range is not written; safe to publish.
 */
public final class TokenSlice {
  private static final TokenSlice EMPTY = new TokenSlice(new int[0], 0, 0);

  private final int[] array;
  private final int offset;
  private final int length;

  private TokenSlice(int[] array, int offset, int length) {
    this.array = array;
    this.offset = offset;
    this.length = length;
  }

  public static TokenSlice empty() {
    return EMPTY;
  }

  /** Views a whole array without copying; the caller must not write to it again. */
  public static TokenSlice wrap(int[] tokens) {
    return new TokenSlice(tokens, 0, tokens.length);
  }

  /**
   * Views part of an array without copying.
   *
   * @throws IndexOutOfBoundsException if the range is not inside the array
   */
  public static TokenSlice wrap(int[] tokens, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, tokens.length);
    return new TokenSlice(tokens, offset, length);
  }

  public static TokenSlice of(int... tokens) {
    return wrap(tokens.clone());
  }

  public int length() {
    return length;
  }

  public boolean isEmpty() {
    return length == 0;
  }

  public int get(int index) {
    return array[offset + Objects.checkIndex(index, length)];
  }

  /** Views {@code [from, to)} of this slice, without copying. */
  public TokenSlice slice(int from, int to) {
    Objects.checkFromToIndex(from, to, length);
    return new TokenSlice(array, offset + from, to - from);
  }

  /** Copies tokens out. */
  public void copyTo(int from, int[] target, int targetOffset, int count) {
    Objects.checkFromIndexSize(from, count, length);
    System.arraycopy(array, offset + from, target, targetOffset, count);
  }

  public int[] toArray() {
    return Arrays.copyOfRange(array, offset, offset + length);
  }

  /** Returns the array behind this view, for kernels that read it in place; not to be modified. */
  public int[] backingArray() {
    return array;
  }

  /** Returns where this view begins in {@link #backingArray()}. */
  public int backingOffset() {
    return offset;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof TokenSlice that
        && Arrays.equals(
            array, offset, offset + length, that.array, that.offset, that.offset + that.length);
  }

  @Override
  public int hashCode() {
    int hash = 1;
    for (int i = offset; i < offset + length; i++) {
      hash = 31 * hash + array[i];
    }
    return hash;
  }

  /** Tells the length only: prompts are never logged. */
  @Override
  public String toString() {
    return "TokenSlice[length=" + length + "]";
  }
}
