// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.token.TokenSlice;
import java.util.Objects;
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
 *   <li>Tokens are tracked only while an attempt is left that could use them, or a drain could move
 *       the stream.
 * </ul>
 *
 * <p>Each of these but the last is a {@link Correction} that can be off.
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
    /** The worker says that it failed, and no cause will follow. */
    BROKEN,
    /** Not asked for, or of no known choice. */
    ALIEN
  }

  private final ReplayAdapter<?, R> adapter;
  private final MigrationOptions options;
  private final ClientPort<R> client;
  private final RecoverySearch search;
  private final RequestJournal journal;
  private final NanoClock clock;
  private final TokenLedger ledger;
  private final Replayability replayability;
  private final boolean resumable;
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
      Resumption resumption,
      NanoClock clock) {
    this.adapter = adapter;
    this.options = options;
    this.client = client;
    this.search = search;
    this.journal = journal;
    this.clock = clock;
    this.ledger = new TokenLedger(profile);
    this.replayability = profile.replayability().under(options);
    this.resumable = !replayability.capability().isEmpty() && resumption.isKnown();
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
      if (replayability.extent() != Replayability.Extent.ALWAYS && !resumable) {
        search.forfeit();
      }
    }
    if (!search.hasAttemptLeft() && !mayBeMoved()) {
      ledger.stopTracking();
    }
  }

  private boolean mayBeMoved() {
    return options.limit() > 0
        && options.has(Correction.MOVE_ON_DRAIN)
        && !search.isForfeited()
        && replayability.extent() != Replayability.Extent.NEVER;
  }

  private void outgrown(long tokens) {
    search.forfeit();
    ledger.stopTracking();
    journal.maxSeqLenExceeded(tokens);
  }

  /** Returns what stands between this answer and its continuation elsewhere. */
  Replayability replayability() {
    return replayability;
  }

  /** Returns what a worker must declare to be asked now, or an empty text. */
  String neededCapability() {
    return openedOnce && resumable ? replayability.capability() : "";
  }

  /** Returns whether the delivered tokens are at hand, so that another worker could go on. */
  boolean canContinue() {
    boolean barred =
        replayability.extent() == Replayability.Extent.NEVER
            || (openedOnce
                && !resumable
                && replayability.extent() == Replayability.Extent.UNTIL_OPENED);
    return !barred && (ledger.delivered() == 0 || ledger.isTracking());
  }

  /** Returns whether a drain may take the stream elsewhere now. */
  boolean canMove() {
    return mayBeMoved() && canContinue() && !awaitsOnlyEnd();
  }

  /** Returns whether an item carries part of an answer. */
  boolean carriesAnswer(R item) {
    return adapter.finishReason(item) != null || !adapter.tokens(item).isEmpty();
  }

  /** Returns whether an item ends its answer. */
  boolean carriesFinish(R item) {
    return adapter.finishReason(item) != null;
  }

  /** Returns whether an item claims an end that is none. */
  boolean isIncompleteEnd(R item) {
    FinishReason finish = adapter.finishReason(item);
    return finish != null && !finish.isComplete() && options.has(Correction.REFUSE_INCOMPLETE_ENDS);
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
    if (held != null || (endsFinished() && ledger.isFinished(choice))) {
      return Fate.DROPPED;
    }
    if (finish != null && !finish.isComplete()) {
      if (options.has(Correction.REFUSE_INCOMPLETE_ENDS)) {
        held = finish;
        return Fate.HELD;
      }
      if (finish == FinishReason.ERROR) {
        return Fate.BROKEN;
      }
    }
    int room =
        options.has(Correction.CLIP_OVERRUNS)
            ? ledger.room(choice, tokens.length())
            : tokens.length();
    if (room == tokens.length()) {
      deliver(run, choice, tokens, finish, item);
      return Fate.PROGRESSED;
    }
    R cut = Objects.requireNonNull(adapter.finished(item, room, FinishReason.LENGTH), "finished");
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
      if (search.hasAttemptLeft()) {
        outgrown(length);
      } else {
        search.forfeit();
        ledger.stopTracking();
      }
    }
    ledger.append(choice, tokens);
    journal.delivered(tokens.length());
  }

  /** Returns how many tokens a worker that goes on would have to compute first. */
  long tokensToCompute() {
    return ledger.sequenceLength();
  }

  /** Returns how many tokens are held for a continuation, the prompt included. */
  long heldTokens() {
    return ledger.isTracking() ? ledger.sequenceLength() : 0;
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

  private boolean endsFinished() {
    return options.has(Correction.END_FINISHED_ANSWERS);
  }

  /** Returns whether the client has had every finish reason and nothing else may follow. */
  boolean isFinished() {
    return endsFinished() && ledger.isFinished();
  }

  /** Returns whether a stream that ends now has brought all it should. */
  boolean mayEnd() {
    return ledger.isFinished() || !options.has(Correction.REFUSE_INCOMPLETE_ENDS);
  }

  /** Returns whether nothing but the end of the stream should come. */
  boolean awaitsOnlyEnd() {
    return held != null
        || isFinished()
        || (options.has(Correction.END_WHOLE_ANSWERS) && ledger.isBudgetSpent());
  }

  /** Returns the finish reason that is held back, or null. */
  @Nullable FinishReason held() {
    return held;
  }

  /** Makes the item that ends an answer which is whole but for its finish reason, else null. */
  @Nullable R missingEnd() {
    if (!options.has(Correction.END_WHOLE_ANSWERS)) {
      return null;
    }
    FinishReason reason = ledger.missingFinish();
    return reason == null
        ? null
        : Objects.requireNonNull(adapter.finished(null, 0, reason), "finished");
  }
}
