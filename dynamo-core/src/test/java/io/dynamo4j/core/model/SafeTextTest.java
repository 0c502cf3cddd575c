// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.token.TokenSlice;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SafeTextTest {

  @ParameterizedTest
  @CsvSource({
    "plain-id_1.2:3/4, plain-id_1.2:3/4",
    "größe 漢字, größe 漢字",
    "'a\nb', a\\u000ab",
    "'a\r\nWARN forged', a\\u000d\\u000aWARN forged",
    "'\u001b[31mred', \\u001b[31mred",
    "'a\u2028b\u2029c\u0085d', a\\u2028b\\u2029c\\u0085d",
    "'\u202eright to left', \\u202eright to left",
    "'back\\slash', back\\\\slash",
  })
  void shouldShowOnOneLineWhatClientsSend(String text, String shown) {
    assertThat(SafeText.of(text)).isEqualTo(shown);
  }

  @Test
  void shouldEscapeHalvesAndKeepWholes() {
    assertThat(SafeText.of("\ud83d\ude00")).isEqualTo("\ud83d\ude00");
    assertThat(SafeText.of("x\ud83d")).isEqualTo("x\\ud83d");
    assertThat(SafeText.of("\ude00x")).isEqualTo("\\ude00x");
  }

  @Test
  void shouldReturnSafeTextItself() {
    String id = "request-" + 1;
    assertThat(SafeText.of(id)).isSameAs(id);
    assertThat(SafeText.of("")).isEmpty();
  }

  @Test
  void shouldCutWhatIsLongAndSayHowLong() {
    String most = "x".repeat(SafeText.MAX_CHARS);
    assertThat(SafeText.of(most)).isSameAs(most);
    assertThat(SafeText.of("x".repeat(1_000_000))).isEqualTo(most + "...(999872 more)");
    String pair = "x".repeat(SafeText.MAX_CHARS - 1) + "\ud83d\ude00";
    assertThat(SafeText.of(pair)).isEqualTo(most.substring(1) + "...(2 more)");
  }

  @Property
  void shouldBeOneBoundedLineWhateverComes(@ForAll String text) {
    assertThat(SafeText.of(text))
        .hasSizeLessThanOrEqualTo(6 * SafeText.MAX_CHARS + 32)
        .doesNotMatch("(?s).*[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}].*");
  }

  @Test
  void shouldTellRequestsByIdsOnOneLine() {
    PreprocessedRequest request =
        PreprocessedRequest.builder("a\nWARN forged", TokenSlice.of(1)).build();

    assertThat(request.toString()).contains("requestId=a\\u000aWARN forged,").hasLineCount(1);
  }
}
