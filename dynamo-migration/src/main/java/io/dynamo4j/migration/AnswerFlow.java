// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.token.TokenSlice;
import org.jspecify.annotations.Nullable;

/**
 * The answer as it passes: decides for each item of a worker whether the client gets it, and keeps
 * what a continuation needs.
 *
 * <ul>
 *   <li>An answer ends with its first finish reason; later tokens and finish reasons are dropped.
 *   <li>Tokens beyond the request's budget are cut off, and the answer ends there.
 *   <li>A finish reason that says {@code cancelled} or {@code error} is held back: nobody here
 *       asked for it, and its cause may follow.
 *   <li>Tokens are tracked only while an attempt is left that could use them.
 * </ul>
 *
 * <p>Belongs to the request's lane.
 */
final class AnswerFlow<R> {

  /** What became of an item. */
  enum Fate {
    /** Passed on; it carried nothing of the answer. */
    PASSED,
    /** Passed on with tokens or a finish reason. */
    PROGRESSED,
    /** Passed on in part; the worker generates more than was asked for. */
    CUT,
    /** Kept back until its cause is known. */
    HELD,
    DROPPED,
    /** Not asked for, or of no known choice. */
    ALIEN
  }

  private final ReplayAdapter<?, R> adapter;
  private final RequestProfile profile;
  private final MigrationOptions options;
  private final ClientPort<R> client;
  private final RecoverySearch search;
  private final RequestJournal journal;
  private final NanoClock clock;
  private final TokenLedger ledger;
  private boolean openedOnce;
  private @Nullable FinishReason held;
  private @Nullable R lastDelivered;
  private @Nullable R earlier;
  private long replayed;

  AnswerFlow(
      ReplayAdapter<?, R> adapter,
      RequestProfile profile,
      MigrationOptions options,
      ClientPort<R> client,
      RecoverySearch search,
      RequestJournal journal,
      NanoClock clock) {
    this.adapter = adapter;
    this.profile = profile;
    this.options = options;
    this.client = client;
    this.search = search;
    this.journal = journal;
    this.clock = clock;
    this.ledger = new TokenLedger(profile);
  }

  void attemptBegan() {
    held = null;
    replayed = ledger.delivered();
    earlier = lastDelivered;
  }

  /** A worker opened its stream. */
  void streamOpened() {
    search.streamOpened(clock.nanoTime());
    if (!openedOnce) {
      openedOnce = true;
      ledger.startTracking();
      if (ledger.sequenceLength() > options.maxSeqLen()) {
        outgrown(ledger.sequenceLength());
      }
      if (profile.replayability().extent() != Replayability.Extent.ALWAYS) {
        search.forfeit();
      }
    }
    if (!search.hasAttemptLeft()) {
      ledger.stopTracking();
    }
  }

  private void outgrown(long tokens) {
    search.forfeit();
    ledger.stopTracking();
    journal.maxSeqLenExceeded(tokens);
  }

  /** Judges one item and passes it on if the client is to have it. */
  Fate accept(AttemptRun<R> run, R sent) {
    R item = earlier == null ? sent : adapter.continued(sent, replayed, earlier);
    int choice = adapter.choice(item);
    TokenSlice tokens = adapter.tokens(item);
    FinishReason finish = adapter.finishReason(item);
    if (!ledger.isKnown(choice) || client.outstanding() == 0) {
      return Fate.ALIEN;
    }
    boolean carriesAnswer = finish != null || !tokens.isEmpty();
    if (!carriesAnswer && held == null) {
      client.deliver(item);
      return Fate.PASSED;
    }
    if (held != null || ledger.isFinished(choice)) {
      return Fate.DROPPED;
    }
    if (finish != null && !finish.isComplete()) {
      held = finish;
      return Fate.HELD;
    }
    int room = ledger.room(choice, tokens.length());
    if (room == tokens.length()) {
      deliver(run, choice, tokens, finish, item);
      return Fate.PROGRESSED;
    }
    R cut = adapter.finished(item, room, FinishReason.LENGTH);
    deliver(run, choice, tokens.slice(0, room), FinishReason.LENGTH, cut);
    return Fate.CUT;
  }

  private void deliver(
      AttemptRun<R> run, int choice, TokenSlice tokens, @Nullable FinishReason finish, R item) {
    if (!tokens.isEmpty()) {
      track(run, choice, tokens);
      lastDelivered = item;
    }
    if (finish != null) {
      ledger.finish(choice);
    }
    client.deliver(item);
  }

  private void track(AttemptRun<R> run, int choice, TokenSlice tokens) {
    if (search.awaitsToken()) {
      search.tokenCame(run, clock.nanoTime());
    }
    long length = ledger.sequenceLength() + tokens.length();
    if (ledger.isTracking() && length > options.maxSeqLen()) {
      outgrown(length);
    }
    ledger.append(choice, tokens);
    journal.delivered(tokens.length());
  }

  /** Lets the tracked tokens go. */
  void close() {
    lastDelivered = null;
    earlier = null;
    ledger.stopTracking();
  }

  long delivered() {
    return ledger.delivered();
  }

  /** Returns prompt and delivered tokens. */
  TokenSlice sequence() {
    return ledger.sequence();
  }

  /** Returns whether the client has had every finish reason. */
  boolean isFinished() {
    return ledger.isFinished();
  }

  /** Returns whether nothing but the end of the stream should come. */
  boolean awaitsOnlyEnd() {
    return held != null || ledger.isFinished() || ledger.isBudgetSpent();
  }

  /** Returns the finish reason that is held back, or null. */
  @Nullable FinishReason held() {
    return held;
  }

  /** Makes the item that ends an answer which is whole but for its finish reason, else null. */
  @Nullable R missingEnd() {
    FinishReason reason = ledger.missingFinish();
    return reason == null ? null : adapter.finished(null, 0, reason);
  }
}
