// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.text;

import io.dynamo4j.core.token.TokenSlice;

/**
 * Makes text of the tokens of one answer, token by token. The host brings the tokenizer.
 *
 * <p>Only text that no later token can change is returned: a token that ends inside a character
 * yields nothing, and the one that completes it yields the character. The texts of all tokens and
 * {@link #pending()} after the last are together what the tokenizer makes of the answer in its
 * context.
 *
 * <p><b>Threads.</b> One at a time; made for one answer, or one attempt of it.
 */
public interface IncrementalDetokenizer {

  /**
   * Takes the next token.
   *
   * @return the text that is certain now and was not before, perhaps empty
   */
  String append(int token);

  /**
   * Returns what would still come out if the answer ended here, such as the replacement character
   * for one that is incomplete; usually empty. Changes nothing.
   */
  String pending();

  /** Makes detokenizers of one tokenizer. */
  @FunctionalInterface
  interface Factory {

    /**
     * Returns a detokenizer that goes on after {@code context}: the prompt of an answer or, where
     * an attempt continues one, the prompt and everything delivered. Nothing of the context itself
     * comes out, except that the rest of a character which the context leaves incomplete comes out
     * as that character.
     */
    IncrementalDetokenizer create(TokenSlice context);
  }
}
