// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.text;

import io.dynamo4j.core.token.TokenSlice;
import java.util.Objects;

/** The text of one answer's tokens, token by token. Belongs to the stream's lane. */
interface AnswerText<R> {

  /** Makes one for each answer. */
  interface Factory<R> {
    AnswerText<R> create(TokenSlice prompt);
  }

  /** Takes an item's i-th token, in order, and returns the text that is certain with it. */
  String append(R item, int i, int token);

  /** Returns what would still come out if the answer ended here. */
  String pending();

  /** Makes the text, by one detokenizer for the whole answer. */
  static <R> Factory<R> ofTokens(IncrementalDetokenizer.Factory detokenizers) {
    Objects.requireNonNull(detokenizers, "detokenizers");
    return prompt -> new OfTokens<>(detokenizers.create(prompt));
  }

  /** Reads the text that items bring. */
  static <R> Factory<TextItem<R>> ofTextItems() {
    return prompt -> new OfTextItems<>();
  }

  /** One detokenizer for the whole answer. */
  final class OfTokens<R> implements AnswerText<R> {
    private final IncrementalDetokenizer detokenizer;

    private OfTokens(IncrementalDetokenizer detokenizer) {
      this.detokenizer = detokenizer;
    }

    @Override
    public String append(R item, int i, int token) {
      return detokenizer.append(token);
    }

    @Override
    public String pending() {
      return detokenizer.pending();
    }
  }

  /** Each attempt had a detokenizer of its own; the last one's word counts. */
  final class OfTextItems<R> implements AnswerText<TextItem<R>> {
    private String pending = "";

    private OfTextItems() {}

    @Override
    public String append(TextItem<R> item, int i, int token) {
      pending = item.pending(i);
      return item.text(i);
    }

    @Override
    public String pending() {
      return pending;
    }
  }
}
