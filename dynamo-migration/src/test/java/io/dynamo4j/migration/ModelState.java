// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static io.dynamo4j.migration.ModelRun.NEVER;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.migration.ModelLog.Fact;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What a {@link MigrationModel} remembers, and what follows from that alone. */
abstract class ModelState {

  /** How the client's stream ends, if it does. */
  enum End {
    COMPLETED,
    FAILED,
    HANGS
  }

  final ModelLog log = new ModelLog();
  final Scenario scenario;
  final MigrationOptions options;
  final boolean joined;
  final int[] answer = Rig.answer(64);
  final Set<Integer> excluded = new TreeSet<>();
  final Map<ErrorType, Integer> failures = new EnumMap<>(ErrorType.class);

  long now;
  long attemptsLeft;
  int number;
  int delivered;
  boolean openedOnce;
  boolean tracking;
  boolean forfeited;
  boolean searching;
  boolean searchBeganOngoing;
  ErrorType searchBeganWith = ErrorType.INTERNAL;
  long searchStart;
  @Nullable ModelRun lead;
  @Nullable ModelRun rival;
  boolean moving;
  boolean held;
  long hedgeAt = NEVER;
  long resumeAt = NEVER;
  long waitEnds = NEVER;
  final long deadlineAt;

  long drainAt;
  long drainEndsAt = NEVER;
  long drainRetryAt = NEVER;
  long drainPause = 50_000_000;
  boolean ticket;

  @Nullable End end;
  @Nullable ErrorType error;
  @Nullable FinishReason finish;

  ModelState(Scenario scenario, boolean joined) {
    this.scenario = scenario;
    this.options = scenario.options;
    this.joined = joined;
    this.attemptsLeft = options.limit() + 1;
    this.deadlineAt = options.deadlineNanos() == 0 ? NEVER : options.deadlineNanos();
    this.drainAt = scenario.drainAt;
  }

  final long due(ModelRun run) {
    boolean alone = rival == null;
    if (alone && (held || finish != null || isBudgetSpent())) {
      return run.progress + options.endTimeoutNanos();
    }
    if (!run.opened) {
      return plus(
          run.start,
          Math.min(some(options.connectTimeoutNanos()), some(options.prologueTimeoutNanos())));
    }
    if (!run.answered) {
      return plus(run.progress, some(options.firstTokenTimeoutNanos()));
    }
    return plus(run.progress, Math.min(some(options.stallTimeoutNanos()), learned(run)));
  }

  final long learned(ModelRun run) {
    StallDetection detection = options.stallDetection();
    int known = run.gaps.size();
    if (detection.isOff() || known < 8 || attemptsLeft == 0 || !canContinue()) {
      return NEVER;
    }
    long longest =
        run.gaps.subList(known - 8, known).stream().mapToLong(gap -> gap).max().orElse(0);
    return Math.max(detection.floorNanos(), (long) (detection.factor() * longest));
  }

  final boolean canContinue() {
    boolean barred =
        scenario.extent == Replayability.Extent.NEVER
            || (openedOnce && scenario.extent == Replayability.Extent.UNTIL_OPENED);
    return !barred && (delivered == 0 || tracking);
  }

  static long some(long nanos) {
    return nanos == 0 ? NEVER : nanos;
  }

  private static long plus(long time, long nanos) {
    return nanos == NEVER ? NEVER : time + nanos;
  }

  final boolean mayMove() {
    return options.limit() > 0 && !forfeited && scenario.extent != Replayability.Extent.NEVER;
  }

  final boolean isBudgetSpent() {
    return scenario.maxTokens != StopConditions.UNSET
        && delivered > 0
        && delivered == scenario.maxTokens;
  }

  final void outgrow() {
    attemptsLeft = 0;
    forfeited = true;
    tracking = false;
    log.exceeded++;
    log.sometimes(Fact.CAP_EXCEEDED);
  }

  final void count(ModelRun run) {
    if (run.opened) {
      log.ongoingRequests++;
    } else {
      log.newRequests++;
    }
    if (log.newRequests > 0 && log.ongoingRequests > 0) {
      log.sometimes(Fact.BOTH_PHASES);
    }
    if (delivered == 0 && run.opened) {
      log.sometimes(Fact.MIGRATED_BEFORE_FIRST_TOKEN);
    }
    if (log.ongoingRequests > 1) {
      log.sometimes(Fact.MIGRATED_TWICE);
    }
  }

  final void beginSearch(ModelRun run, ErrorType type) {
    if (!searching) {
      searching = true;
      searchBeganOngoing = run.opened;
      searchBeganWith = type;
      searchStart = now;
    }
  }

  final void fail(ErrorType type) {
    ErrorType told = searching && searchBeganOngoing ? searchBeganWith : type;
    boolean cancelled = told == ErrorType.CANCELLED || told == ErrorType.BACKEND_CANCELLED;
    error = cancelled ? ErrorType.STREAM_INCOMPLETE : told;
    end = End.FAILED;
  }

  /** Ends an answer that is whole though nobody said so. */
  final boolean endsWhole() {
    if (finish != null) {
      complete(finish);
    } else if (isBudgetSpent()) {
      complete(FinishReason.LENGTH);
    } else if (delivered > 0 && scenario.stopTokenIds.contains(answer[delivered - 1])) {
      complete(FinishReason.STOP);
    }
    return end != null;
  }

  final void complete(FinishReason reason) {
    finish = reason;
    end = End.COMPLETED;
  }

  final void settleDrainIfLeft(ModelRun run) {
    if (run.opened && run.worker != scenario.drained) {
      settleDrain();
    }
  }

  final void settleDrain() {
    ticket = false;
    drainEndsAt = NEVER;
    drainRetryAt = NEVER;
  }

  final void stayed() {
    if (ticket && drainRetryAt == NEVER) {
      drainRetryAt = now + drainPause;
      drainPause = Math.min(2 * drainPause, 1_000_000_000);
    }
  }
}
