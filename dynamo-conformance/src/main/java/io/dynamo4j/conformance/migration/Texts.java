// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import io.dynamo4j.core.model.FinishReason;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** Answers by choice, made of the recorded vocabulary: tokens below 256 are bytes of UTF-8. */
final class Texts {
  private final Map<Integer, ByteArrayOutputStream> bytes = new TreeMap<>();

  void add(int choice, int token) {
    if (token < 256) {
      bytes.computeIfAbsent(choice, key -> new ByteArrayOutputStream()).write(token);
    }
  }

  /** Returns the texts; a choice without any is absent. */
  Map<Integer, String> texts() {
    Map<Integer, String> texts = new TreeMap<>();
    bytes.forEach((choice, text) -> texts.put(choice, text.toString(StandardCharsets.UTF_8)));
    return Collections.unmodifiableMap(texts);
  }

  /** Returns a finish reason as OpenAI's API names it. */
  static String apiName(FinishReason reason) {
    return reason == FinishReason.EOS ? FinishReason.STOP.wireName() : reason.wireName();
  }
}
