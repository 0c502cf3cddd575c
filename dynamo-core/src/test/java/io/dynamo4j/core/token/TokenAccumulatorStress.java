// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.token;

import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * One writer fills a stream past two doublings, one reader takes what it sees.
 *
 * <p>With a plain store of the length, or of the grown array's reference, the reader may meet a
 * zero before the token that belongs there: {@code WRONG}.
 */
public final class TokenAccumulatorStress {
  private static final int WRITTEN = 40;
  private static final BlockHasher HASHER = BlockHasher.of(BlockHashOptions.of(4));

  private TokenAccumulatorStress() {}

  /** Tokens of a snapshot are those that were written. */
  @JCStressTest
  @State
  @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "Nothing wrong in two snapshots.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A token was read before it was written.")
  public static class Tokens {
    private final TokenAccumulator stream = TokenAccumulator.startingWith(TokenSlice.empty());

    @Actor
    public void writer() {
      for (int i = 0; i < WRITTEN; i++) {
        stream.append(i + 1);
      }
    }

    @Actor
    public void reader(II_Result result) {
      result.r1 = wrongTokens(stream.snapshot());
      result.r2 = wrongTokens(stream.snapshot());
    }

    private static int wrongTokens(TokenSlice seen) {
      int wrong = 0;
      for (int i = 0; i < seen.length(); i++) {
        wrong += seen.get(i) == i + 1 ? 0 : 1;
      }
      return wrong;
    }
  }

  /** A counted block has its hashes, and a length has the blocks that it fills. */
  @JCStressTest
  @State
  @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "All counted hashes are there.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A hash or a block count came after its length.")
  public static class Hashes {
    private final TokenAccumulator stream =
        TokenAccumulator.startingWith(TokenSlice.empty(), HASHER);

    @Actor
    public void writer() {
      for (int i = 0; i < 2 * WRITTEN; i++) {
        stream.append(i);
      }
    }

    @Actor
    public void reader(II_Result result) {
      int length = stream.length();
      int blocks = stream.blockCount();
      result.r1 = blocks < length / 4 ? 1 : 0;
      result.r2 = zeros(stream.localHashes(), blocks) + zeros(stream.sequenceHashes(), blocks);
    }

    private static int zeros(long[] hashes, int count) {
      int zeros = 0;
      for (int i = 0; i < count; i++) {
        zeros += hashes[i] == 0 ? 1 : 0;
      }
      return zeros;
    }
  }
}
