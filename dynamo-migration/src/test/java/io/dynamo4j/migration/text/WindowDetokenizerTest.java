// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.token.TokenSlice;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class WindowDetokenizerTest {
  private static final String[] CHARACTERS = {"a", " ", "é", "ß", "€", "漢", "😀", "👍"};
  private static final int ANSWERS = 2_000;

  private static int[] randomTokens(SplittableRandom random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(10); i >= 0; i--) {
      text.append(CHARACTERS[random.nextInt(CHARACTERS.length)]);
    }
    int[] all = ByteTokens.encode(text.toString());
    return Arrays.copyOf(all, all.length - random.nextInt(2));
  }

  @Test
  void shouldMakeTheWholeTextWhereverTheContextEnds() {
    for (long seed = 1; seed <= ANSWERS; seed++) {
      int[] tokens = randomTokens(new SplittableRandom(seed));
      TokenSlice all = TokenSlice.wrap(tokens);
      for (int cut = 0; cut <= tokens.length; cut++) {
        IncrementalDetokenizer first = ByteTokens.detokenizers().create(TokenSlice.empty());
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < cut; i++) {
          text.append(first.append(tokens[i]));
        }
        IncrementalDetokenizer second = ByteTokens.detokenizers().create(all.slice(0, cut));
        for (int i = cut; i < tokens.length; i++) {
          text.append(second.append(tokens[i]));
        }
        assertThat(text + second.pending())
            .as("seed=%s, cut=%s", seed, cut)
            .isEqualTo(ByteTokens.decode(all));
      }
    }
  }

  @Test
  void shouldHoldACharacterBackUntilItIsComplete() {
    IncrementalDetokenizer detokenizer = ByteTokens.detokenizers().create(TokenSlice.empty());
    int[] bytes = ByteTokens.encode("€");

    assertThat(detokenizer.append(bytes[0])).isEmpty();
    assertThat(detokenizer.pending()).isEqualTo("\uFFFD");
    assertThat(detokenizer.append(bytes[1])).isEmpty();
    assertThat(detokenizer.append(bytes[2])).isEqualTo("€");
    assertThat(detokenizer.pending()).isEmpty();
  }

  @Test
  void shouldKeepTheSpaceThatATokenizerDropsAtItsBeginning() {
    // A tokenizer of words that joins by spaces, so that the first has none.
    String[] words = {"one", "two", "three"};
    IncrementalDetokenizer detokenizer =
        WindowDetokenizer.factory(
                tokens ->
                    String.join(
                        " ", Arrays.stream(tokens.toArray()).mapToObj(i -> words[i]).toList()))
            .create(TokenSlice.of(0));

    assertThat(detokenizer.append(1)).isEqualTo(" two");
    assertThat(detokenizer.append(2)).isEqualTo(" three");
  }

  @Test
  void shouldSayNothingForTokensWithoutText() {
    IncrementalDetokenizer detokenizer = ByteTokens.detokenizers().create(TokenSlice.of('a'));

    assertThat(detokenizer.append(ByteTokens.EOS)).isEmpty();
    assertThat(detokenizer.pending()).isEmpty();
    assertThat(detokenizer.append('b')).isEqualTo("b");
  }
}
