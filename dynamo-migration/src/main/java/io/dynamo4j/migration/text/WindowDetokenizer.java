// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.text;

import io.dynamo4j.core.token.TokenSlice;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Function;

/**
 * A detokenizer over a tokenizer that can only decode a whole list of tokens.
 *
 * <p>Decoding single tokens is wrong: characters span tokens, and some tokenizers drop the first
 * space of what they decode. So a window that begins some tokens back is decoded with and without
 * what is new, and the difference is the text. While the window ends inside a character, that is in
 * U+FFFD, nothing comes out and the window grows.
 *
 * <p><b>Cost.</b> Two decodings of a window of a few tokens for each token.
 */
public final class WindowDetokenizer implements IncrementalDetokenizer {
  /** How far back the context of the first token reaches. */
  private static final int CONTEXT_TOKENS = 32;

  private static final char INCOMPLETE = '\uFFFD';

  private final Function<TokenSlice, String> decode;
  private int[] window = new int[8];
  private int size;
  private int read;

  private WindowDetokenizer(Function<TokenSlice, String> decode) {
    this.decode = decode;
  }

  /**
   * Returns a maker of detokenizers.
   *
   * @param decode makes text of tokens, with U+FFFD for what is no character; whether special
   *     tokens show is its own affair
   */
  public static Factory factory(Function<TokenSlice, String> decode) {
    Objects.requireNonNull(decode, "decode");
    return context -> {
      WindowDetokenizer detokenizer = new WindowDetokenizer(decode);
      for (int i = Math.max(0, context.length() - CONTEXT_TOKENS); i < context.length(); i++) {
        detokenizer.append(context.get(i));
      }
      return detokenizer;
    };
  }

  @Override
  public String append(int token) {
    if (size == window.length) {
      window = Arrays.copyOf(window, 2 * size);
    }
    window[size++] = token;
    String before = decoded(read);
    String after = decoded(size);
    if (after.length() <= before.length() || after.charAt(after.length() - 1) == INCOMPLETE) {
      return "";
    }
    System.arraycopy(window, read, window, 0, size - read);
    size -= read;
    read = size;
    return difference(before, after);
  }

  @Override
  public String pending() {
    return read == size ? "" : difference(decoded(read), decoded(size));
  }

  private String decoded(int length) {
    return decode.apply(TokenSlice.wrap(Arrays.copyOf(window, length)));
  }

  /** Returns what follows the common beginning: a character that was incomplete has changed. */
  private static String difference(String before, String after) {
    int common = Arrays.mismatch(before.toCharArray(), after.toCharArray());
    return common < 0 ? "" : after.substring(common);
  }
}
