// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.hash;

/**
 * BLAKE3 with 256 bits of output, for names and a model's small files: plain, not fast.
 *
 * <p>Bytes become words one by one: JDK 17 compiles views of a small array that does not leave its
 * method to code that reads and writes something else.
 *
 * <p><b>Source.</b> BLAKE3 specification, O'Connor, Aumasson, Neves, Wilcox-O'Hearn (2020), section
 * 2.
 */
public final class Blake3 {
  /*
   * Structure    Input is cut into chunks of 1,024 bytes, a chunk into blocks of 64. Each block is
   *              compressed into a chaining value of eight ints; the last one of a chunk stands for
   *              the chunk. Chunks are the leaves of a binary tree in which every left subtree is
   *              full and the largest that leaves something to its right.
   *
   *                   root
   *                  /    \
   *                 *      chunk 2        five blocks of chunk 2 are chained,
   *               /   \                   the fifth carries CHUNK_END
   *         chunk 0   chunk 1
   *
   * The node on top, chunk or parent, is compressed with ROOT; its first 32 bytes are the hash.
   */
  private static final int BLOCK_BYTES = 64;
  private static final int CHUNK_BYTES = 1024;

  private static final int CHUNK_START = 1;
  private static final int CHUNK_END = 2;
  private static final int PARENT = 4;
  private static final int ROOT = 8;

  private static final int[] IV = {
    0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19
  };
  private static final int[] PERMUTATION = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};
  private static final int ROUNDS = 7;

  private final byte[] input;

  private Blake3(byte[] input) {
    this.input = input;
  }

  /** Returns the 32-byte hash of {@code input}. */
  public static byte[] hash(byte[] input) {
    int[] root = new Blake3(input).subtree(0, input.length, ROOT);
    byte[] out = new byte[32];
    for (int i = 0; i < out.length; i++) {
      out[i] = (byte) (root[i >> 2] >>> (8 * (i & 3)));
    }
    return out;
  }

  /**
   * Returns the chaining value of {@code length} bytes from {@code offset} on, a chunk boundary.
   */
  private int[] subtree(int offset, int length, int flags) {
    if (length <= CHUNK_BYTES) {
      return chunk(offset, length, flags);
    }
    int left = CHUNK_BYTES * Integer.highestOneBit((length - 1) / CHUNK_BYTES);
    int[] message = new int[16];
    System.arraycopy(subtree(offset, left, 0), 0, message, 0, 8);
    System.arraycopy(subtree(offset + left, length - left, 0), 0, message, 8, 8);
    return compress(IV, message, 0, BLOCK_BYTES, PARENT | flags);
  }

  private int[] chunk(int offset, int length, int flags) {
    int[] chaining = IV;
    int blocks = Math.max(1, (length + BLOCK_BYTES - 1) / BLOCK_BYTES);
    for (int i = 0; i < blocks; i++) {
      int from = i * BLOCK_BYTES;
      int size = Math.min(BLOCK_BYTES, length - from);
      int blockFlags = i == 0 ? CHUNK_START : 0;
      if (i == blocks - 1) {
        blockFlags |= CHUNK_END | flags;
      }
      int[] message = message(offset + from, size);
      chaining = compress(chaining, message, offset / CHUNK_BYTES, size, blockFlags);
    }
    return chaining;
  }

  /** Reads one block as 16 words, padded with zeros. */
  private int[] message(int offset, int size) {
    int[] words = new int[16];
    for (int i = 0; i < size; i++) {
      words[i >> 2] |= (input[offset + i] & 0xff) << (8 * (i & 3));
    }
    return words;
  }

  private static int[] compress(int[] chaining, int[] message, int counter, int size, int flags) {
    int[] v = new int[16];
    System.arraycopy(chaining, 0, v, 0, 8);
    System.arraycopy(IV, 0, v, 8, 4);
    v[12] = counter;
    v[14] = size;
    v[15] = flags;
    int[] m = message;
    for (int round = 0; round < ROUNDS; round++) {
      round(v, m);
      m = permute(m);
    }
    int[] out = new int[8];
    for (int i = 0; i < 8; i++) {
      out[i] = v[i] ^ v[i + 8];
    }
    return out;
  }

  /** Mixes the columns, then the diagonals. */
  private static void round(int[] v, int[] m) {
    for (int i = 0; i < 4; i++) {
      mix(v, i, i + 4, i + 8, i + 12, m[2 * i], m[2 * i + 1]);
    }
    for (int i = 0; i < 4; i++) {
      int b = 4 + (i + 1) % 4;
      int c = 8 + (i + 2) % 4;
      int d = 12 + (i + 3) % 4;
      mix(v, i, b, c, d, m[8 + 2 * i], m[9 + 2 * i]);
    }
  }

  private static void mix(int[] v, int a, int b, int c, int d, int x, int y) {
    v[a] += v[b] + x;
    v[d] = Integer.rotateRight(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = Integer.rotateRight(v[b] ^ v[c], 12);
    v[a] += v[b] + y;
    v[d] = Integer.rotateRight(v[d] ^ v[a], 8);
    v[c] += v[d];
    v[b] = Integer.rotateRight(v[b] ^ v[c], 7);
  }

  private static int[] permute(int[] m) {
    int[] permuted = new int[16];
    for (int i = 0; i < 16; i++) {
      permuted[i] = m[PERMUTATION[i]];
    }
    return permuted;
  }
}
