// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.text;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.ReplayAdapter;
import io.dynamo4j.migration.RequestProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A worker's item with the text of each of its tokens, for a migrator around a detokenizer.
 *
 * @param <R> the worker's item type
 */
public final class TextItem<R> {
  private final R item;
  private final List<String> texts;
  private final List<String> pendings;

  private TextItem(R item, List<String> texts, List<String> pendings) {
    this.item = Objects.requireNonNull(item, "item");
    this.texts = texts;
    this.pendings = pendings;
  }

  /** Detokenizes an item's tokens. */
  static <R> TextItem<R> of(R item, TokenSlice tokens, IncrementalDetokenizer detokenizer) {
    List<String> texts = new ArrayList<>(tokens.length());
    List<String> pendings = new ArrayList<>(tokens.length());
    for (int i = 0; i < tokens.length(); i++) {
      texts.add(detokenizer.append(tokens.get(i)));
      pendings.add(detokenizer.pending());
    }
    return new TextItem<>(item, texts, pendings);
  }

  /**
   * Returns the adapter for a migrator of such items.
   *
   * @param base the adapter for the items without text
   */
  public static <Q, R> ReplayAdapter<Q, TextItem<R>> adapter(ReplayAdapter<Q, R> base) {
    return new Adapter<>(Objects.requireNonNull(base, "base"));
  }

  /** Returns the item as the worker sent it. */
  public R item() {
    return item;
  }

  /** Returns the text that became certain with this item's tokens. */
  public String text() {
    return String.join("", texts);
  }

  /** Returns the text that became certain with the i-th token. */
  String text(int i) {
    return texts.get(i);
  }

  /** Returns what would come out after the i-th token if the answer ended there. */
  String pending(int i) {
    return pendings.get(i);
  }

  @Override
  public String toString() {
    return "TextItem[item=" + item + ", tokens=" + texts.size() + "]";
  }

  /** Leaves everything about tokens to another adapter. */
  private static final class Adapter<Q, R> implements ReplayAdapter<Q, TextItem<R>> {
    private final ReplayAdapter<Q, R> base;

    Adapter(ReplayAdapter<Q, R> base) {
      this.base = base;
    }

    @Override
    public RequestProfile profile(Q request) {
      return base.profile(request);
    }

    @Override
    public Q continuation(Q request, TokenSlice allTokens, long delivered) {
      return base.continuation(request, allTokens, delivered);
    }

    @Override
    public TokenSlice tokens(TextItem<R> item) {
      return base.tokens(item.item);
    }

    @Override
    public @Nullable FinishReason finishReason(TextItem<R> item) {
      return base.finishReason(item.item);
    }

    @Override
    public TextItem<R> finished(@Nullable TextItem<R> item, int kept, FinishReason reason) {
      if (item == null) {
        return new TextItem<>(base.finished(null, 0, reason), List.of(), List.of());
      }
      return new TextItem<>(
          base.finished(item.item, kept, reason),
          List.copyOf(item.texts.subList(0, kept)),
          List.copyOf(item.pendings.subList(0, kept)));
    }

    @Override
    public TextItem<R> continued(TextItem<R> item, long replayed, TextItem<R> earlier) {
      R whole = base.continued(item.item, replayed, earlier.item);
      return whole == item.item ? item : new TextItem<>(whole, item.texts, item.pendings);
    }

    @Override
    public int choice(TextItem<R> item) {
      return base.choice(item.item);
    }
  }
}
