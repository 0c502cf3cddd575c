// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.MigrationOptions;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * One request, the workers it may meet in this order, and how its client behaves: a failure script
 * for a whole answer.
 *
 * @param promptTokens length of the prompt, from 1
 * @param maxTokens length of the whole answer, within 1 and {@link #MAX_TOKENS}
 * @param limit attempts after the first
 * @param maxSeqLen longest sequence that is continued, or {@link MigrationOptions#UNLIMITED}
 * @param workers what becomes of each worker, in the order in which they are chosen
 * @param window items that the client asks for at a time, 0 for all at once
 * @param cancelsAfter items after which the client leaves, or {@link #STAYS}
 */
public record MigrationCase(
    int promptTokens,
    int maxTokens,
    long limit,
    long maxSeqLen,
    List<WorkerFate> workers,
    int window,
    int cancelsAfter) {

  /** The longest answer of a case. */
  public static final int MAX_TOKENS = 24;

  /** Marks a client that stays. */
  public static final int STAYS = -1;

  /** After how long without a token a case's worker is given up. */
  public static final Duration STALL_TIMEOUT = Duration.ofSeconds(1);

  public MigrationCase {
    if (promptTokens < 1 || maxTokens < 1 || maxTokens > MAX_TOKENS || window < 0) {
      throw new IllegalArgumentException(
          "sizes are out of range: promptTokens="
              + promptTokens
              + ", maxTokens="
              + maxTokens
              + ", window="
              + window);
    }
    workers = List.copyOf(workers);
  }

  /** Returns a case with a prompt of three tokens, an answer of eight and a client that stays. */
  public static MigrationCase of(long limit, WorkerFate... workers) {
    return new MigrationCase(
        3, 8, limit, MigrationOptions.UNLIMITED, List.of(workers), /* window= */ 0, STAYS);
  }

  public MigrationCase withWindow(int items) {
    return new MigrationCase(
        promptTokens, maxTokens, limit, maxSeqLen, workers, items, cancelsAfter);
  }

  public MigrationCase withCancelAfter(int items) {
    return new MigrationCase(promptTokens, maxTokens, limit, maxSeqLen, workers, window, items);
  }

  public MigrationCase withMaxSeqLen(long tokens) {
    return new MigrationCase(promptTokens, maxTokens, limit, tokens, workers, window, cancelsAfter);
  }

  /**
   * Plays the case in virtual time, twice on one migrator, and compares every dispatch and every
   * signal with what the script calls for.
   *
   * @throws AssertionError naming the case, if they differ
   */
  public void check(MigratorFactory factory) {
    Objects.requireNonNull(factory, "factory");
    try {
      MigrationPlay play = new MigrationPlay(this, factory);
      play.playAndCheck();
      play.playAndCheck();
    } catch (RuntimeException | AssertionError failure) {
      throw new AssertionError(this + ": " + failure.getMessage(), failure);
    }
  }

  /** Returns the request that the case sends. */
  PreprocessedRequest request(String requestId) {
    int[] prompt = new int[promptTokens];
    for (int i = 0; i < promptTokens; i++) {
      prompt[i] = 11 + i;
    }
    return PreprocessedRequest.builder(requestId, TokenSlice.wrap(prompt))
        .model("contract")
        .stopConditions(StopConditions.builder().maxTokens(maxTokens).build())
        .build();
  }

  MigrationOptions options() {
    MigrationOptions.Builder options =
        MigrationOptions.builder().limit(limit).stallTimeout(STALL_TIMEOUT);
    if (maxSeqLen != MigrationOptions.UNLIMITED) {
      options.maxSeqLen(maxSeqLen);
    }
    return options.build();
  }

  /** Errors after which another worker is tried, whether or not the stream has opened. */
  static List<ErrorType> migratingErrors() {
    return List.of(
        ErrorType.CANNOT_CONNECT,
        ErrorType.DISCONNECTED,
        ErrorType.CONNECTION_TIMEOUT,
        ErrorType.RESPONSE_TIMEOUT,
        ErrorType.ENGINE_SHUTDOWN,
        ErrorType.STREAM_INCOMPLETE,
        ErrorType.WORKER_OVERLOADED);
  }

  /** Errors that no other worker can repair. */
  static List<ErrorType> vetoingErrors() {
    return List.of(ErrorType.INVALID_REQUEST, ErrorType.DEADLINE_EXCEEDED);
  }
}
