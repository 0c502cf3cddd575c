// SPDX-License-Identifier: Apache-2.0
/**
 * Text above a migrator that knows tokens only: one detokenizer and one matcher of stop conditions
 * for the whole answer, whichever workers produce it.
 *
 * <p>A migrator below a detokenizer, which is the usual way: tokens migrate, and one {@link
 * io.dynamo4j.migration.text.TextStream} over the migrator's stream makes text of them.
 *
 * <pre>{@code
 * Migrator<PreprocessedRequest, LLMEngineOutput> migrator =
 *     Migrator.builder().limit(3).adapter(ReplayAdapter.preprocessed())
 *         .dispatcher(dispatcher).environment(environment).build();
 * TextStream.Builder<LLMEngineOutput> texts =
 *     TextStream.overTokens(tokenizer::detokenizer, environment);
 *
 * texts.over(migrator.migrate(request), request).subscribe(client);
 * }</pre>
 *
 * <p>A migrator around a detokenizer, where each worker's stream is text already: {@link
 * io.dynamo4j.migration.text.DetokenizingDispatcher} makes the text of each attempt, its items keep
 * their token ids, and these migrate. The same failures give the same text.
 *
 * <pre>{@code
 * ReplayAdapter<PreprocessedRequest, LLMEngineOutput> tokens = ReplayAdapter.preprocessed();
 * Migrator<PreprocessedRequest, TextItem<LLMEngineOutput>> migrator =
 *     Migrator.builder().limit(3).adapter(TextItem.adapter(tokens))
 *         .dispatcher(DetokenizingDispatcher.of(dispatcher, tokens, tokenizer::detokenizer))
 *         .environment(environment).build();
 * TextStream.Builder<TextItem<LLMEngineOutput>> texts =
 *     TextStream.overText(tokens, environment);
 *
 * texts.over(migrator.migrate(request), request).subscribe(client);
 * }</pre>
 */
@NullMarked
package io.dynamo4j.migration.text;

import org.jspecify.annotations.NullMarked;
