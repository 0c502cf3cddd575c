// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.text;

import io.dynamo4j.core.model.CompletionUsage;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.SafeText;
import io.dynamo4j.core.token.TokenSlice;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a client is to see of one item: its text, perhaps the end.
 *
 * <p>An item whose text is withheld comes too, with empty text: it may carry log-probabilities or
 * usage. Hosts that send text alone leave it out.
 *
 * @param <R> the stream's item type
 */
public final class TextOutput<R> {
  private final Header header;
  private final boolean opensStream;
  private final @Nullable R item;
  private final int index;
  private final boolean first;
  private final String text;
  private final TokenSlice tokenIds;
  private final @Nullable FinishReason finishReason;
  private final long completionTokens;
  private final @Nullable CompletionUsage reported;

  /** Makes an output that carries something of an answer. */
  TextOutput(
      Header header,
      @Nullable R item,
      int index,
      boolean first,
      String text,
      TokenSlice tokenIds,
      @Nullable FinishReason finishReason) {
    this.header = header;
    this.opensStream = header.open();
    this.item = item;
    this.index = index;
    this.first = first;
    this.text = text;
    this.tokenIds = tokenIds;
    this.finishReason = finishReason;
    this.completionTokens = header.completionTokens;
    this.reported = header.reported;
  }

  /** Returns the request's id, the same in every output of a stream. */
  public String requestId() {
    return header.requestId;
  }

  /** Returns when the stream began, the same in every output of a stream. */
  public Instant created() {
    return header.created;
  }

  /** Returns the item behind this output, or null for one that only lets withheld text go. */
  public @Nullable R item() {
    return item;
  }

  /** Returns which of several answers this belongs to, from 0. */
  public int index() {
    return index;
  }

  /** Returns the text to append, perhaps empty. */
  public String text() {
    return text;
  }

  /** Returns the item's tokens as far as they are part of the answer. */
  public TokenSlice tokenIds() {
    return tokenIds;
  }

  /** Returns why the answer ends here, or null while it goes on. */
  public @Nullable FinishReason finishReason() {
    return finishReason;
  }

  /** Returns whether this is its answer's first output: the one that tells the role. */
  public boolean isFirst() {
    return first;
  }

  /** Returns what the client is to be told with the stream's first output, else nothing. */
  public Map<String, String> annotations() {
    return opensStream ? header.annotations : Collections.emptyMap();
  }

  /**
   * Returns what the request has taken up to this output: every token that was part of an answer,
   * the one that stopped it included, and the prompt as the last report of a worker counts it,
   * replayed tokens left out; without a report its length.
   */
  public CompletionUsage usage() {
    return reported == null
        ? CompletionUsage.of(header.promptTokens, completionTokens)
        : new CompletionUsage(reported.promptTokens(), completionTokens, reported.cachedTokens());
  }

  /** Tells everything but the text: answers are never logged. */
  @Override
  public String toString() {
    return "TextOutput[requestId="
        + SafeText.of(header.requestId)
        + ", index="
        + index
        + ", chars="
        + text.length()
        + ", tokens="
        + tokenIds.length()
        + ", finishReason="
        + finishReason
        + "]";
  }

  /** What all outputs of a stream share. Belongs to the stream's lane but for the constants. */
  static final class Header {
    final String requestId;
    final Instant created;
    final Map<String, String> annotations;
    final long promptTokens;
    long completionTokens;
    @Nullable CompletionUsage reported;
    private boolean opened;

    Header(TextOptions options, Instant created) {
      this.requestId = options.requestId();
      this.annotations = options.annotations();
      this.promptTokens = options.prompt().length();
      this.created = created;
    }

    private boolean open() {
      boolean now = !opened;
      opened = true;
      return now;
    }
  }
}
