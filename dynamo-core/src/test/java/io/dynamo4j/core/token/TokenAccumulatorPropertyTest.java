// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.hash.SequenceHasher;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** The accumulator against a plain list that is hashed anew after every step. */
class TokenAccumulatorPropertyTest {

  @Property(tries = 400)
  void shouldEqualAPlainListAfterEveryAppend(
      @ForAll("chunks") List<int[]> chunks,
      @ForAll @IntRange(min = 1, max = 9) int blockSize,
      @ForAll boolean eagle) {
    BlockHasher hasher =
        BlockHasher.of(BlockHashOptions.builder(blockSize).eagle(eagle).loraName("a").build());
    check(chunks, hasher, hasher);
  }

  @Example
  void shouldNoticeHashesOfTheWrongBlock() {
    BlockHasher hasher = BlockHasher.of(BlockHashOptions.of(2));
    BlockHashing broken = new OneTokenLate(hasher);
    assertThatThrownBy(() -> check(List.of(new int[] {1, 2, 3}, new int[] {4, 5}), broken, hasher))
        .isInstanceOf(AssertionError.class);
  }

  @Provide
  Arbitrary<List<int[]>> chunks() {
    return Arbitraries.integers()
        .array(int[].class)
        .ofMaxSize(40)
        .list()
        .ofMinSize(1)
        .ofMaxSize(20);
  }

  private static void check(List<int[]> chunks, BlockHashing hashing, BlockHasher reference) {
    List<Integer> plain = new ArrayList<>();
    List<TokenSlice> snapshots = new ArrayList<>();
    TokenAccumulator stream =
        TokenAccumulator.startingWith(TokenSlice.wrap(chunks.get(0)), hashing);
    addAll(plain, chunks.get(0));
    checkState(stream, plain, reference);
    for (int[] chunk : chunks.subList(1, chunks.size())) {
      snapshots.add(stream.snapshot());
      if (chunk.length == 1) {
        stream.append(chunk[0]);
      } else {
        stream.append(TokenSlice.wrap(chunk));
      }
      addAll(plain, chunk);
      checkState(stream, plain, reference);
    }
    for (TokenSlice snapshot : snapshots) {
      assertThat(snapshot.toArray()).isEqualTo(ints(plain.subList(0, snapshot.length())));
    }
  }

  private static void checkState(
      TokenAccumulator stream, List<Integer> plain, BlockHasher reference) {
    int[] tokens = ints(plain);
    assertThat(stream.length()).isEqualTo(tokens.length);
    assertThat(stream.snapshot().toArray()).isEqualTo(tokens);
    long[] local = reference.hash(TokenSlice.wrap(tokens));
    long[] sequence = new long[local.length];
    SequenceHasher.hash(local, local.length, sequence);
    int blocks = stream.blockCount();
    assertThat(Arrays.copyOf(stream.localHashes(), blocks)).isEqualTo(local);
    assertThat(Arrays.copyOf(stream.sequenceHashes(), blocks)).isEqualTo(sequence);
  }

  private static void addAll(List<Integer> list, int[] values) {
    for (int value : values) {
      list.add(value);
    }
  }

  private static int[] ints(List<Integer> list) {
    return list.stream().mapToInt(Integer::intValue).toArray();
  }

  /** Hashes from the second token of a block on, as far as there is one. */
  private record OneTokenLate(BlockHasher right) implements BlockHashing {

    @Override
    public int blockSize() {
      return right.blockSize();
    }

    @Override
    public long windowSize() {
      return right.windowSize();
    }

    @Override
    public long localHash(int[] tokens, int offset) {
      return right.localHash(tokens, Math.min(offset + 1, tokens.length - right.blockSize()));
    }

    @Override
    public long sequenceHash(long parentHash, long localHash) {
      return right.sequenceHash(parentHash, localHash);
    }
  }
}
