// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.engine;

import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.wire.EngineEvent;
import java.util.Arrays;

/**
 * The local hash of a block of an event, media included.
 *
 * <p>Where the model's placeholder of images is known, each run of it in a block with media is
 * replaced by a token made of the next medium's hash, and the media do not enter the hash a second
 * time: as the engine itself pads prompts. Any other block with media is hashed with them.
 */
final class BlockContents {
  private static final int PAD_BASE = 1_000_000;
  private static final long PAD_MASK = (1L << 30) - 1;
  private static final long NO_TOKEN = -1;

  private final long imageToken;
  private final long[] one = new long[1];

  private BlockContents(long imageToken) {
    this.imageToken = imageToken;
  }

  static BlockContents withoutImageToken() {
    return new BlockContents(NO_TOKEN);
  }

  /** Returns contents of a model whose images stand as this token, unsigned. */
  static BlockContents withImageToken(int token) {
    return new BlockContents(Integer.toUnsignedLong(token));
  }

  long localHash(BlockHasher hasher, EngineEvent event, int block) {
    int offset = block * hasher.blockSize();
    if (event.mediaBlocks() <= block) {
      return hasher.localHash(event.tokens(), offset);
    }
    long[] media = event.mediaOf(block);
    if (media.length == 0) {
      return hasher.localHash(event.tokens(), offset);
    }
    int window = (int) hasher.windowSize();
    int[] tokens = Arrays.copyOfRange(event.tokens(), offset, offset + window);
    if (pad(tokens, media)) {
      return hasher.localHash(tokens, 0);
    }
    hasher.hash(TokenSlice.wrap(tokens), new long[][] {media}, one);
    return one[0];
  }

  private boolean pad(int[] tokens, long[] media) {
    int run = -1;
    boolean inRun = false;
    for (int i = 0; i < tokens.length; i++) {
      boolean isImage = Integer.toUnsignedLong(tokens[i]) == imageToken;
      if (isImage) {
        run += inRun ? 0 : 1;
        tokens[i] = PAD_BASE + (int) (media[Math.min(run, media.length - 1)] & PAD_MASK);
      }
      inRun = isImage;
    }
    return run >= 0;
  }
}
