// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.token;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Append-only token ids of one stream, with the hashes of its blocks as they fill.
 *
 * <p>A continued or re-routed stream needs its whole context again and again; this hands it out
 * without copying and without hashing anything twice.
 *
 * <p><b>Threads.</b> One writer. Beside it one reader may call everything that does not append: it
 * sees a prefix of what was written, never a token or hash before its value. The accumulator itself
 * must reach the reader by a safe hand-over.
 *
 * <p><b>Cost.</b> Append O(1) amortised, nothing allocated but doubled arrays; snapshot O(1).
 */
public final class TokenAccumulator {
  /*
   * Structure    prompt    [ p0 p1 p2 ]                 the caller's array, until the first append
   *              tokens    [ p0 p1 p2 t3 t4 .  .  . ]   own array, doubled when full
   *              length    5
   *              local     [ h0 h1 . . ]                one hash per full block
   *              sequence  [ s0 s1 . . ]
   *              blockCount 2
   *
   * Invariants   I1  what lies before length and blockCount is never written again
   *              I2  blockCount blocks are exactly those that length tokens fill (writer's view)
   *
   * Writes       contents of an array -> release of the array's reference -> release of the count
   *              that covers it. blockCount is released before the length that fills the block.
   * Reads        acquire of the count, then acquire of the reference. The reference is then that
   *              of the count or a younger one; a younger array holds the same prefix, and its
   *              contents are covered by its own release. With a plain reference the reader could
   *              meet a grown array before the copy into it.
   */
  private static final VarHandle TOKENS;
  private static final VarHandle LENGTH;
  private static final VarHandle LOCAL;
  private static final VarHandle SEQUENCE;
  private static final VarHandle BLOCK_COUNT;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      TOKENS = lookup.findVarHandle(TokenAccumulator.class, "tokens", int[].class);
      LENGTH = lookup.findVarHandle(TokenAccumulator.class, "length", int.class);
      LOCAL = lookup.findVarHandle(TokenAccumulator.class, "local", long[].class);
      SEQUENCE = lookup.findVarHandle(TokenAccumulator.class, "sequence", long[].class);
      BLOCK_COUNT = lookup.findVarHandle(TokenAccumulator.class, "blockCount", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final int MIN_CAPACITY = 16;
  private static final int MAX_CAPACITY = Integer.MAX_VALUE - 8;
  private static final long NEVER = Long.MAX_VALUE;

  private final TokenSlice prompt;
  private final @Nullable BlockHashing hashing;

  private int @Nullable [] tokens;
  private int length;
  private long[] local = new long[0];
  private long[] sequence = new long[0];
  private int blockCount;

  /** Length at which the next block is full; the writer's own. */
  private long nextBlockEnd;

  /**
   * Below this length the next token fits into the own array and fills no block: the one test of
   * the fast path. The writer's own.
   */
  private int plainAppendLimit;

  private TokenAccumulator(TokenSlice prompt, @Nullable BlockHashing hashing) {
    this.prompt = prompt;
    this.hashing = hashing;
    this.length = prompt.length();
    this.nextBlockEnd = hashing == null ? NEVER : hashing.windowSize();
    if (hashing != null) {
      hashFilledBlocks(hashing, prompt.backingArray(), prompt.backingOffset(), length);
    }
  }

  /**
   * Begins with a prompt and hashes nothing.
   *
   * @param prompt not copied before the first append
   */
  public static TokenAccumulator startingWith(TokenSlice prompt) {
    return new TokenAccumulator(prompt, null);
  }

  /**
   * Begins with a prompt and hashes its full blocks now, those of appended tokens as they fill.
   *
   * @param prompt not copied before the first append
   */
  public static TokenAccumulator startingWith(TokenSlice prompt, BlockHashing hashing) {
    return new TokenAccumulator(prompt, hashing);
  }

  /**
   * Adds one token.
   *
   * @throws IllegalStateException if the stream would be longer than an array can be
   */
  public void append(int token) {
    int from = length;
    int[] array = tokens;
    if (from < plainAppendLimit && array != null) {
      array[from] = token;
      setLengthRelease(from + 1);
    } else {
      array = tokensWithRoomFor(from, 1);
      array[from] = token;
      appended(array, from + 1);
    }
  }

  /**
   * Adds tokens.
   *
   * @param added copied
   * @throws IllegalStateException if the stream would be longer than an array can be
   */
  public void append(TokenSlice added) {
    int count = added.length();
    if (count == 0) {
      return;
    }
    int from = length;
    int[] array = tokensWithRoomFor(from, count);
    added.copyTo(0, array, from, count);
    appended(array, from + count);
  }

  /** Returns the number of tokens, prompt included. */
  public int length() {
    return lengthAcquire();
  }

  /** Returns the number of tokens that the stream began with. */
  public int promptLength() {
    return prompt.length();
  }

  /**
   * Returns one token, an unsigned 32-bit pattern.
   *
   * @throws IndexOutOfBoundsException if {@code index} is not below the length
   */
  public int get(int index) {
    return snapshot().get(index);
  }

  /** Views all tokens there are, without copying; later appends do not show in it. */
  public TokenSlice snapshot() {
    return view(lengthAcquire());
  }

  /**
   * Views the first {@code length} tokens, without copying.
   *
   * @throws IndexOutOfBoundsException if there are fewer
   */
  public TokenSlice snapshot(int length) {
    return view(lengthAcquire()).slice(0, length);
  }

  /** Returns the number of full blocks; 0 without hashing. */
  public int blockCount() {
    return blockCountAcquire();
  }

  /**
   * Returns the array that begins with the local hash of each of the {@link #blockCount()} full
   * blocks asked for before; not to be modified. A growing stream replaces it.
   */
  public long[] localHashes() {
    return (long[]) LOCAL.getAcquire(this);
  }

  /** Returns the sequence hashes in the way of {@link #localHashes()}. */
  public long[] sequenceHashes() {
    return (long[]) SEQUENCE.getAcquire(this);
  }

  /** Tells sizes only: prompts are never logged. */
  @Override
  public String toString() {
    return "TokenAccumulator[length=" + length() + ", blockCount=" + blockCount() + "]";
  }

  private TokenSlice view(int count) {
    int[] array = tokensAcquire();
    return array == null ? prompt : TokenSlice.wrap(array, 0, count);
  }

  private int[] tokensWithRoomFor(int from, int count) {
    int[] array = tokens;
    return array != null && array.length - from >= count ? array : growTokens(from, count);
  }

  private int[] growTokens(int from, int count) {
    int[] grown = new int[capacityFor(from, count)];
    view(from).copyTo(0, grown, 0, from);
    TOKENS.setRelease(this, grown);
    return grown;
  }

  /** Returns at least twice {@code size}, as far as an array can be that long. */
  static int capacityFor(int size, int added) {
    if (size > MAX_CAPACITY - added) {
      throw new IllegalStateException("stream is too long: length=" + size + ", added=" + added);
    }
    int doubled = size > MAX_CAPACITY / 2 ? MAX_CAPACITY : 2 * size;
    return Math.max(Math.max(doubled, size + added), MIN_CAPACITY);
  }

  /** Hashes what the new tokens fill, then shows them to the reader. */
  private void appended(int[] array, int newLength) {
    if (newLength >= nextBlockEnd && hashing != null) {
      hashFilledBlocks(hashing, array, 0, newLength);
    }
    plainAppendLimit = (int) Math.min(array.length, nextBlockEnd - 1);
    setLengthRelease(newLength);
  }

  private void hashFilledBlocks(BlockHashing how, int[] array, int offset, int filled) {
    int blockSize = how.blockSize();
    int count = blockCount;
    long end = nextBlockEnd;
    int start = offset + count * blockSize;
    long hash = count == 0 ? 0 : sequence[count - 1];
    while (end <= filled) {
      long localHash = how.localHash(array, start);
      hash = count == 0 ? localHash : how.sequenceHash(hash, localHash);
      if (count == local.length) {
        growHashes(count);
      }
      local[count] = localHash;
      sequence[count] = hash;
      count++;
      start += blockSize;
      end += blockSize;
    }
    nextBlockEnd = end;
    BLOCK_COUNT.setRelease(this, count);
  }

  private void growHashes(int count) {
    int capacity = capacityFor(count, 1);
    LOCAL.setRelease(this, Arrays.copyOf(local, capacity));
    SEQUENCE.setRelease(this, Arrays.copyOf(sequence, capacity));
  }

  private int @Nullable [] tokensAcquire() {
    return (int[]) TOKENS.getAcquire(this);
  }

  private int lengthAcquire() {
    return (int) LENGTH.getAcquire(this);
  }

  private void setLengthRelease(int value) {
    LENGTH.setRelease(this, value);
  }

  private int blockCountAcquire() {
    return (int) BLOCK_COUNT.getAcquire(this);
  }
}
