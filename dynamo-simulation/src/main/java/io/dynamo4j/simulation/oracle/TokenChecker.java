// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.oracle;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.token.TokenSlice;
import org.jspecify.annotations.Nullable;

/**
 * Judges one client stream of mock engines: every token delivered must be the function of seed,
 * prompt and all tokens before that the engines promise, whichever engines served it.
 *
 * <p><b>Function.</b> With {@code mix(z) = (z ^ (z >>> 32)) * M}: state {@code h = mix(seed)}, then
 * for each token {@code t}, unsigned, {@code h = mix(h + C * (t + 1))}; the next token is the top
 * 16 bits of {@code h}. Written anew here: the engine's code must not vouch for itself.
 *
 * <p><b>Telling faults apart.</b> No token is kept. A token that is not the expected one waits
 * until {@value #CONFIRM} of them show where the stream stands, in this order of preference:
 *
 * <ol>
 *   <li>they are what was expected up to {@value #BEHIND} positions ago: the tokens in between come
 *       again and are <b>repeated</b>;
 *   <li>they are what is expected up to {@value #AHEAD} positions later: those in between are
 *       <b>lost</b>;
 *   <li>the first is a stray and the others are expected: <b>repeated</b> if it was expected within
 *       the last {@value #BEHIND} positions, otherwise <b>wrong</b>;
 *   <li>otherwise the first stands in the place of the expected one and is <b>wrong</b>.
 * </ol>
 *
 * The look-behind is a ring of past states, the look-ahead runs the function forward. Tokens have
 * 16 bits, so three that agree by chance are out of the question; the last tokens of a stream are
 * judged by what there is, and a wrong last token passes for a repeated or lost one about once in
 * 200 times.
 *
 * <p>At the end, tokens still expected by a stream that claims to be complete are lost; tokens
 * beyond the expected end are wrong. A stream that fails owes nothing.
 *
 * <p><b>Threads.</b> Not thread-safe: the stream's lane. Cost of an expected token: constant, no
 * allocation.
 */
public final class TokenChecker {
  private static final int CONFIRM = 3;
  private static final int BEHIND = 64;
  private static final int AHEAD = 256;

  private static final long TOKEN_FACTOR = 0x9e3779b97f4a7c15L;
  private static final long MIX_FACTOR = 0xd6e8feb86659fd93L;

  private final long maxTokens;
  private final int eosInterval;

  /** The state before each of the last positions, by position modulo the length. */
  private final long[] states = new long[BEHIND];

  private final int[] pending = new int[CONFIRM];
  private int pendingCount;
  private long state;
  private long position;

  /** Where the answer ends by itself; known once reached. */
  private long endPosition;

  private long delivered;
  private long lost;
  private long repeated;
  private long wrong;
  private @Nullable FinishReason finishReason;
  private boolean ended;

  private TokenChecker(long seed, TokenSlice prompt, long maxTokens, int eosInterval) {
    if (maxTokens < 1) {
      throw new IllegalArgumentException("maxTokens must be positive: maxTokens=" + maxTokens);
    }
    this.maxTokens = maxTokens;
    this.eosInterval = eosInterval;
    this.endPosition = maxTokens;
    int[] tokens = prompt.backingArray();
    int end = prompt.backingOffset() + prompt.length();
    long h = seed ^ (seed >>> 32);
    h *= MIX_FACTOR;
    for (int i = prompt.backingOffset(); i < end; i++) {
      h = after(h, tokens[i]);
    }
    this.state = h;
  }

  /**
   * Starts judging an answer that ends with its token budget.
   *
   * @param prompt read here and not kept
   */
  public static TokenChecker create(long seed, TokenSlice prompt, long maxTokens) {
    return new TokenChecker(seed, prompt, maxTokens, 0);
  }

  /**
   * Starts judging an answer that may end by itself.
   *
   * @param eosInterval the engines' mean interval between tokens that end an answer; 0 for never
   */
  public static TokenChecker create(long seed, TokenSlice prompt, long maxTokens, int eosInterval) {
    return new TokenChecker(seed, prompt, maxTokens, eosInterval);
  }

  /** Returns the first tokens of an answer, as any engine must generate them. */
  public static int[] expectedTokens(long seed, TokenSlice prompt, int count) {
    TokenChecker checker = create(seed, prompt, count);
    int[] tokens = new int[count];
    for (int i = 0; i < count; i++) {
      tokens[i] = expected(checker.state);
      checker.state = after(checker.state, tokens[i]);
    }
    return tokens;
  }

  /** Judges the tokens of one item. */
  public void delivered(TokenSlice tokens) {
    for (int i = 0; i < tokens.length(); i++) {
      take(tokens.get(i));
    }
  }

  /**
   * The stream has ended and claims to be complete.
   *
   * @param reason the finish reason that the client saw, or null if there was none
   */
  public void completed(@Nullable FinishReason reason) {
    settle();
    lost += Math.max(0, endPosition - position);
    finishReason = reason;
    ended = true;
  }

  /** The stream has failed or was cancelled: what it did not deliver is not held against it. */
  public void failed() {
    settle();
    ended = true;
  }

  public long deliveredCount() {
    return delivered;
  }

  public long lostCount() {
    return lost;
  }

  public long repeatedCount() {
    return repeated;
  }

  public long wrongCount() {
    return wrong;
  }

  /** Returns whether the stream ended and no token of it was lost, repeated or wrong. */
  public boolean isFaultless() {
    return ended && lost + repeated + wrong == 0;
  }

  /** Returns the reason that a complete answer must end with, given how far it has come. */
  public FinishReason expectedFinishReason() {
    return endPosition < maxTokens || endsHere() ? FinishReason.EOS : FinishReason.LENGTH;
  }

  /** Returns whether the stream completed faultlessly and with the reason that it must have. */
  public boolean isComplete() {
    return isFaultless() && finishReason != null && finishReason == expectedFinishReason();
  }

  @Override
  public String toString() {
    return "TokenChecker[position="
        + position
        + ", delivered="
        + delivered
        + ", lost="
        + lost
        + ", repeated="
        + repeated
        + ", wrong="
        + wrong
        + "]";
  }

  private void take(int token) {
    delivered++;
    if (pendingCount == 0 && token == expected(state) && position < endPosition) {
      advance();
      return;
    }
    pending[pendingCount++] = token;
    resolve(CONFIRM);
  }

  private void settle() {
    resolve(1);
  }

  /**
   * Judges waiting tokens as long as the first is the expected one or at least {@code least} wait.
   */
  private void resolve(int least) {
    while (pendingCount > 0) {
      if (position < endPosition && pending[0] == expected(state)) {
        advance();
        shift(1);
      } else if (pendingCount < least) {
        return;
      } else {
        judgeFirst();
      }
    }
  }

  private void judgeFirst() {
    if (!isRepeat() && !isGap()) {
      judgeSingle();
    }
  }

  private boolean isRepeat() {
    for (int back = 1; back <= Math.min(BEHIND, position); back++) {
      long from = stateAt(position - back);
      if (matches(from, position - back, 0)) {
        repeated += back;
        position -= back;
        state = from;
        consumePending();
        return true;
      }
    }
    return false;
  }

  private boolean isGap() {
    long from = state;
    for (int skipped = 1; skipped <= AHEAD && position + skipped < endPosition; skipped++) {
      from = after(from, expected(from));
      if (matches(from, position + skipped, 0)) {
        lost += skipped;
        for (int i = 0; i < skipped; i++) {
          advance();
        }
        consumePending();
        return true;
      }
    }
    return false;
  }

  private void judgeSingle() {
    boolean isStray = pendingCount > 1 && matches(state, position, 1);
    if (isStray && wasExpectedLately(pending[0])) {
      repeated++;
    } else {
      wrong++;
      if (!isStray && position < endPosition) {
        advance();
      }
    }
    shift(1);
  }

  private boolean wasExpectedLately(int token) {
    for (int back = 1; back <= Math.min(BEHIND, position); back++) {
      if (expected(stateAt(position - back)) == token) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether the waiting tokens from {@code first} on are those expected from a state on.
   */
  private boolean matches(long from, long fromPosition, int first) {
    if (fromPosition + pendingCount - first > endPosition) {
      return false;
    }
    long h = from;
    for (int i = first; i < pendingCount; i++) {
      if (pending[i] != expected(h)) {
        return false;
      }
      h = after(h, pending[i]);
    }
    return true;
  }

  private void consumePending() {
    for (int i = 0; i < pendingCount; i++) {
      advance();
    }
    pendingCount = 0;
  }

  private void shift(int count) {
    pendingCount -= count;
    System.arraycopy(pending, count, pending, 0, pendingCount);
  }

  private void advance() {
    states[(int) (position % BEHIND)] = state;
    state = after(state, expected(state));
    position++;
    if (eosInterval > 0 && endsHere()) {
      endPosition = position;
    }
  }

  private boolean endsHere() {
    return eosInterval > 0
        && position > 0
        && ((state >>> 16 & 0xffffffffL) * eosInterval) >>> 32 == 0;
  }

  private long stateAt(long earlier) {
    return states[(int) (earlier % BEHIND)];
  }

  private static int expected(long state) {
    return (int) (state >>> 48);
  }

  private static long after(long state, int token) {
    long z = state + TOKEN_FACTOR * (Integer.toUnsignedLong(token) + 1);
    return (z ^ (z >>> 32)) * MIX_FACTOR;
  }
}
