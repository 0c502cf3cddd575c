// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.text;

import io.dynamo4j.core.token.TokenSlice;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** A vocabulary of bytes of UTF-8; tokens from 256 on have no text. */
final class ByteTokens {
  static final int EOS = 257;

  private ByteTokens() {}

  static int[] encode(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int[] tokens = new int[bytes.length];
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = bytes[i] & 0xff;
    }
    return tokens;
  }

  static String decode(TokenSlice tokens) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < tokens.length(); i++) {
      if (tokens.get(i) < 256) {
        bytes.write(tokens.get(i));
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  static IncrementalDetokenizer.Factory detokenizers() {
    return WindowDetokenizer.factory(ByteTokens::decode);
  }
}
