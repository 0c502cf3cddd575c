// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static io.dynamo4j.migration.ModelRun.NEVER;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.migration.ModelLog.Fact;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a client must see, by walking through the scripts on one time line: no lanes, no demand, no
 * callbacks, and nothing shared with the migrator.
 */
final class MigrationModel {
  private static final Set<ErrorType> MIGRATES =
      EnumSet.of(
          ErrorType.CANNOT_CONNECT,
          ErrorType.DISCONNECTED,
          ErrorType.CONNECTION_TIMEOUT,
          ErrorType.BACKEND_CANNOT_CONNECT,
          ErrorType.BACKEND_DISCONNECTED,
          ErrorType.BACKEND_CONNECTION_TIMEOUT,
          ErrorType.RESPONSE_TIMEOUT,
          ErrorType.ENGINE_SHUTDOWN,
          ErrorType.STREAM_INCOMPLETE,
          ErrorType.WORKER_UNAVAILABLE,
          ErrorType.WORKER_OVERLOADED,
          ErrorType.BACKEND_CANCELLED,
          ErrorType.CANCELLED);
  private static final Set<ErrorType> VETOES =
      EnumSet.of(
          ErrorType.CAPACITY_EXHAUSTED,
          ErrorType.POOL_EXHAUSTED,
          ErrorType.INVALID_REQUEST,
          ErrorType.DEADLINE_EXCEEDED,
          ErrorType.BACKEND_INVALID_ARGUMENT);

  /** How the client's stream ends, if it does. */
  enum End {
    COMPLETED,
    FAILED,
    HANGS
  }

  final ModelLog log = new ModelLog();
  private final Scenario scenario;
  private final MigrationOptions options;
  private final boolean joined;
  private final int[] answer = Rig.answer(64);
  private final Set<Integer> excluded = new TreeSet<>();
  private final Map<ErrorType, Integer> failures = new EnumMap<>(ErrorType.class);

  private long now;
  private long attemptsLeft;
  private int number;
  private int delivered;
  private boolean openedOnce;
  private boolean tracking;
  private boolean forfeited;
  private boolean searching;
  private boolean searchBeganOngoing;
  private ErrorType searchBeganWith = ErrorType.INTERNAL;
  private long searchStart;
  private @Nullable ModelRun lead;
  private @Nullable ModelRun rival;
  private boolean moving;
  private boolean held;
  private long hedgeAt = NEVER;
  private long resumeAt = NEVER;
  private long waitEnds = NEVER;
  private final long deadlineAt;

  private long drainAt;
  private long drainEndsAt = NEVER;
  private long drainRetryAt = NEVER;
  private long drainPause = 50_000_000;
  private boolean ticket;

  private @Nullable End end;
  private @Nullable ErrorType error;
  private @Nullable FinishReason finish;

  private MigrationModel(Scenario scenario, boolean joined) {
    this.scenario = scenario;
    this.options = scenario.options;
    this.joined = joined;
    this.attemptsLeft = options.limit() + 1;
    this.deadlineAt = options.deadlineNanos() == 0 ? NEVER : options.deadlineNanos();
    this.drainAt = scenario.drainAt;
  }

  /**
   * Plays a scenario.
   *
   * @param joined whether the worker that joins late is there from the start
   */
  static MigrationModel of(Scenario scenario, boolean joined) {
    MigrationModel model = new MigrationModel(scenario, joined);
    model.begin();
    while (model.end == null) {
      model.step();
    }
    return model;
  }

  int[] tokens() {
    return Arrays.copyOf(answer, delivered);
  }

  End end() {
    return end == null ? End.HANGS : end;
  }

  @Nullable ErrorType error() {
    return error;
  }

  @Nullable FinishReason finish() {
    return finish;
  }

  // The time line.

  private void step() {
    long leadDue = lead == null ? NEVER : due(lead);
    long rivalDue = rival == null ? NEVER : due(rival);
    long leadNext = lead == null ? NEVER : lead.next;
    long rivalNext = rival == null ? NEVER : rival.next;
    long[] times = {
      leadNext,
      rivalNext,
      leadDue,
      rivalDue,
      hedgeAt,
      resumeAt,
      deadlineAt,
      drainAt,
      drainEndsAt,
      drainRetryAt
    };
    long next = Arrays.stream(times).min().orElse(NEVER);
    if (next == NEVER) {
      end = End.HANGS;
      return;
    }
    now = next;
    if (next == leadNext) {
      act(lead);
    } else if (next == rivalNext) {
      act(rival);
    } else if (next == leadDue) {
      expire(lead);
    } else if (next == rivalDue) {
      expire(rival);
    } else if (next == hedgeAt) {
      hedgeAt = NEVER;
      hedge();
    } else if (next == resumeAt) {
      resumeAt = NEVER;
      begin();
    } else if (next == deadlineAt) {
      meetDeadline();
    } else if (next == drainAt) {
      drain();
    } else if (next == drainEndsAt) {
      drainEnds();
    } else {
      drainRetryAt = NEVER;
      move();
    }
  }

  private void act(@Nullable ModelRun run) {
    if (run == null) {
      return;
    }
    Act act = run.take(now);
    if (act instanceof Act.Pause) {
      return;
    }
    if (act instanceof Act.Fail fail) {
      lose(run, fail.type());
      return;
    }
    open(run);
    if (act instanceof Act.Complete) {
      if (rival == null && finish != null) {
        complete(finish);
      } else {
        lose(run, ErrorType.STREAM_INCOMPLETE);
      }
    } else if (rival == null) {
      play(run, act);
    } else if (moving) {
      park(run, act);
    } else {
      race(run, act);
    }
  }

  private void begin() {
    ModelRun run = start(/* isHedge= */ false, /* spends= */ true, -1);
    held = false;
    if (run == null) {
      loseForWantOfWorkers();
      return;
    }
    lead = run;
    if (options.hedgeAfterNanos() > 0 && attemptsLeft > 0) {
      hedgeAt = now + options.hedgeAfterNanos();
    }
  }

  /** Asks the first worker that may be asked; null gives the attempt back. */
  private @Nullable ModelRun start(boolean isHedge, boolean spends, int alsoExcluded) {
    log.dispatchTimes.add(now);
    Set<Integer> out = new TreeSet<>(excluded);
    if (alsoExcluded > 0) {
      out.add(alsoExcluded);
    }
    for (int worker = 1; worker <= scenario.workers.size(); worker++) {
      boolean late = worker == scenario.workers.size() && scenario.joinAt != NEVER && !joined;
      if (!out.contains(worker) && (!late || now > scenario.joinAt)) {
        attemptsLeft -= spends ? 1 : 0;
        if (waitEnds != NEVER) {
          log.sometimes(Fact.WAIT_FOUND_WORKER);
        }
        waitEnds = NEVER;
        log.dispatched(worker, number, delivered, out);
        return new ModelRun(worker, number++, isHedge, scenario.workers.get(worker - 1), now);
      }
    }
    return null;
  }

  private void loseForWantOfWorkers() {
    lead = null;
    if (endsWhole()) {
      return;
    }
    boolean waits =
        options.replacementWaitNanos() > 0 && scenario.extent != Replayability.Extent.NEVER;
    if (!waits) {
      fail(ErrorType.UNAVAILABLE, false);
      return;
    }
    if (waitEnds == NEVER) {
      waitEnds = now + options.replacementWaitNanos();
      log.waits++;
      log.sometimes(Fact.WAITED);
    }
    if (waitEnds - now <= 0) {
      log.sometimes(Fact.WAIT_IN_VAIN);
      fail(ErrorType.UNAVAILABLE, false);
    } else {
      resumeAt = now + Math.min(waitEnds - now, Scenario.POLL);
    }
  }

  // An attempt alone.

  private void open(ModelRun run) {
    if (run.opened) {
      return;
    }
    run.opened = true;
    run.progress = now;
    if (run == rival && moving) {
      commitMove(run);
    }
    searching = false;
    if (!openedOnce) {
      openedOnce = true;
      tracking = true;
      if (Rig.PROMPT.length() > options.maxSeqLen()) {
        outgrow();
      }
      if (scenario.extent != Replayability.Extent.ALWAYS) {
        attemptsLeft = 0;
        forfeited = true;
      }
    }
    tracking &= attemptsLeft > 0 || mayMove();
    if (run == lead) {
      settleDrainIfLeft(run);
    }
  }

  private boolean mayMove() {
    return options.limit() > 0 && !forfeited && scenario.extent != Replayability.Extent.NEVER;
  }

  private void outgrow() {
    attemptsLeft = 0;
    forfeited = true;
    tracking = false;
    log.exceeded++;
    log.sometimes(Fact.CAP_EXCEEDED);
  }

  private void play(ModelRun run, Act act) {
    if (held || finish != null) {
      return;
    }
    if (act instanceof Act.Tokens tokens) {
      deliver(run, tokens.count(), null);
    } else if (act instanceof Act.Finish last) {
      if (last.reason() == FinishReason.CANCELLED) {
        held = true;
        run.progress = now;
      } else {
        deliver(run, last.count(), last.reason());
      }
    }
  }

  private void deliver(ModelRun run, int count, @Nullable FinishReason reason) {
    int room =
        (int) (scenario.maxTokens == StopConditions.UNSET ? count : scenario.maxTokens - delivered);
    int taken = Math.min(count, room);
    if (tracking && taken > 0 && Rig.PROMPT.length() + delivered + taken > options.maxSeqLen()) {
      if (attemptsLeft > 0) {
        outgrow();
      } else {
        forfeited = true;
        tracking = false;
      }
    }
    delivered += taken;
    hedgeAt = NEVER;
    run.answered = true;
    run.progress = now;
    if (run.lastToken != NEVER) {
      run.gaps.add(now - run.lastToken);
    }
    run.lastToken = now;
    if (taken < count) {
      complete(FinishReason.LENGTH);
    } else if (reason != null) {
      finish = reason;
    }
  }

  private long due(ModelRun run) {
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

  private long learned(ModelRun run) {
    StallDetection detection = options.stallDetection();
    int known = run.gaps.size();
    if (detection.isOff() || known < 8 || attemptsLeft == 0 || !canContinue()) {
      return NEVER;
    }
    long longest =
        run.gaps.subList(known - 8, known).stream().mapToLong(gap -> gap).max().orElse(0);
    return Math.max(detection.floorNanos(), (long) (detection.factor() * longest));
  }

  private boolean canContinue() {
    boolean barred =
        scenario.extent == Replayability.Extent.NEVER
            || (openedOnce && scenario.extent == Replayability.Extent.UNTIL_OPENED);
    return !barred && (delivered == 0 || tracking);
  }

  private static long some(long nanos) {
    return nanos == 0 ? NEVER : nanos;
  }

  private static long plus(long time, long nanos) {
    return nanos == NEVER ? NEVER : time + nanos;
  }

  private void expire(@Nullable ModelRun run) {
    if (run == null) {
      return;
    }
    boolean alone = rival == null;
    if (alone && !held && finish != null) {
      complete(finish);
      return;
    }
    log.stalls++;
    if (alone && held) {
      lose(run, ErrorType.STREAM_INCOMPLETE);
    } else if (!run.opened) {
      log.sometimes(Fact.STALLED_UNOPENED);
      lose(run, ErrorType.CONNECTION_TIMEOUT);
    } else {
      boolean byPace = run.answered && learned(run) < some(options.stallTimeoutNanos());
      log.sometimes(run.answered ? Fact.STALLED_BETWEEN_TOKENS : Fact.STALLED_BEFORE_TOKEN);
      if (byPace) {
        log.sometimes(Fact.LEARNED_STALL);
      }
      lose(run, ErrorType.RESPONSE_TIMEOUT);
    }
  }

  private void meetDeadline() {
    if (finish != null) {
      complete(finish);
    } else if (endsWhole()) {
      log.sometimes(Fact.DEADLINE_AFTER_WHOLE_ANSWER);
    } else {
      log.sometimes(Fact.DEADLINE);
      error = ErrorType.DEADLINE_EXCEEDED;
      end = End.FAILED;
    }
  }

  // Two attempts.

  private void hedge() {
    ModelRun first = lead;
    boolean due =
        first != null && rival == null && !first.answered && attemptsLeft > 0 && canContinue();
    if (!due || held || isBudgetSpent()) {
      return;
    }
    ModelRun run = start(/* isHedge= */ true, /* spends= */ true, first.worker);
    if (run == null) {
      log.sometimes(Fact.HEDGE_WITHOUT_WORKER);
      return;
    }
    rival = run;
    moving = false;
    log.hedges++;
    log.sometimes(Fact.HEDGED);
  }

  private void race(ModelRun run, Act act) {
    if (act instanceof Act.Finish last && last.reason() == FinishReason.CANCELLED) {
      lose(run, ErrorType.STREAM_INCOMPLETE);
    } else if (!(act instanceof Act.Note) && !(act instanceof Act.Open)) {
      lead = run;
      rival = null;
      log.hedgesWon += run.isHedge ? 1 : 0;
      log.sometimes(run.isHedge ? Fact.HEDGE_WON : Fact.HEDGE_LOST);
      settleDrainIfLeft(run);
      play(run, act);
    }
  }

  private void drain() {
    drainAt = NEVER;
    ModelRun run = lead;
    if (run != null && run.worker == scenario.drained) {
      ticket = true;
      drainEndsAt = now + Scenario.DRAIN_TIME;
      move();
    }
  }

  private void move() {
    ModelRun old = lead;
    if (!ticket) {
      return;
    }
    if (old == null || rival != null || old.worker != scenario.drained) {
      stayed();
      return;
    }
    boolean onlyEnd = held || finish != null || isBudgetSpent();
    if (!mayMove() || !canContinue() || onlyEnd) {
      return;
    }
    hedgeAt = NEVER;
    ModelRun run = start(/* isHedge= */ false, /* spends= */ false, old.worker);
    if (run == null) {
      log.sometimes(Fact.MOVE_WITHOUT_WORKER);
      stayed();
      return;
    }
    rival = run;
    moving = true;
    old.credit = scenario.client == Scenario.ClientShape.WINDOW ? scenario.clientWindow : NEVER;
  }

  private void stayed() {
    if (ticket && drainRetryAt == NEVER) {
      drainRetryAt = now + drainPause;
      drainPause = Math.min(2 * drainPause, 1_000_000_000);
    }
  }

  private void park(ModelRun run, Act act) {
    if (act instanceof Act.Open) {
      return;
    }
    run.kept.add(act);
    if (act instanceof Act.Finish) {
      log.sometimes(Fact.MOVE_OVERTAKEN_BY_FINISH);
      stay();
      stayed();
    } else if (act instanceof Act.Tokens) {
      run.progress = now;
    }
  }

  private void stay() {
    rival = null;
    moving = false;
    flush();
  }

  private void flush() {
    ModelRun run = lead;
    if (run == null) {
      return;
    }
    while (end == null && !run.kept.isEmpty()) {
      play(run, run.kept.remove());
    }
    run.unblock(now);
  }

  private void commitMove(ModelRun run) {
    ModelRun old = lead;
    if (old != null) {
      excluded.add(old.worker);
    }
    lead = run;
    rival = null;
    moving = false;
    held = false;
    log.moves++;
    log.sometimes(Fact.MOVED);
    if (attemptsLeft == 0) {
      log.sometimes(Fact.MOVED_WITHOUT_BUDGET);
    }
  }

  private void drainEnds() {
    drainEndsAt = NEVER;
    drainRetryAt = NEVER;
    ticket = false;
    if (moving) {
      log.sometimes(Fact.MOVE_TIME_UP);
      stay();
    }
  }

  private void settleDrainIfLeft(ModelRun run) {
    if (run.opened && run.worker != scenario.drained) {
      settleDrain();
    }
  }

  private void settleDrain() {
    ticket = false;
    drainEndsAt = NEVER;
    drainRetryAt = NEVER;
  }

  // Loss and end.

  private void lose(ModelRun run, ErrorType type) {
    ModelRun other = run == rival ? lead : rival;
    boolean onlyMove = moving && run == rival;
    hedgeAt = NEVER;
    boolean migrates =
        MIGRATES.contains(type) || (!run.opened && type == ErrorType.BACKEND_UNKNOWN);
    if (other != null) {
      loseOneOfTwo(run, other, type, migrates, onlyMove);
      return;
    }
    lead = null;
    if (endsWhole()) {
      return;
    }
    excluded.add(run.worker);
    if (!migrates || scenario.extent == Replayability.Extent.NEVER) {
      fail(type, run.opened);
      return;
    }
    count(run);
    long searched = searching ? now - searchStart : 0;
    int count = failures.merge(type, 1, Integer::sum);
    RetryRule rule = scenario.policy.rule(type);
    boolean admitted =
        count <= rule.limit() && (rule.withinNanos() == 0 || searched <= rule.withinNanos());
    beginSearch(run, type);
    if (!admitted || attemptsLeft == 0) {
      if (attemptsLeft > 0) {
        log.sometimes(Fact.RULE_SPENT);
      }
      fail(type, run.opened);
      return;
    }
    long pause = scenario.pauseNanos(type, count);
    if (pause > 0) {
      log.sometimes(Fact.PAUSED);
    }
    resumeAt = now + pause;
  }

  private void loseOneOfTwo(
      ModelRun run, ModelRun other, ErrorType type, boolean migrates, boolean onlyMove) {
    log.sometimes(
        !moving
            ? Fact.HEDGE_PARTNER_LOST
            : onlyMove ? Fact.MOVE_REFUSED : Fact.MOVE_OLD_WORKER_LOST);
    excluded.add(run.worker);
    lead = other;
    rival = null;
    moving = false;
    if (!onlyMove && VETOES.contains(type)) {
      fail(type, run.opened);
      return;
    }
    if (!onlyMove && migrates) {
      count(run);
      beginSearch(run, type);
      if (other.opened) {
        searching = false;
      }
    }
    settleDrainIfLeft(other);
    flush();
    if (onlyMove) {
      stayed();
    }
  }

  private void count(ModelRun run) {
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

  private void beginSearch(ModelRun run, ErrorType type) {
    if (!searching) {
      searching = true;
      searchBeganOngoing = run.opened;
      searchBeganWith = type;
      searchStart = now;
    }
  }

  private void fail(ErrorType type, boolean opened) {
    ErrorType told = searching && searchBeganOngoing ? searchBeganWith : type;
    boolean cancelled = told == ErrorType.CANCELLED || told == ErrorType.BACKEND_CANCELLED;
    error = cancelled ? ErrorType.STREAM_INCOMPLETE : told;
    end = End.FAILED;
  }

  /** Ends an answer that is whole though nobody said so. */
  private boolean endsWhole() {
    if (finish != null) {
      complete(finish);
    } else if (isBudgetSpent()) {
      complete(FinishReason.LENGTH);
    } else if (delivered > 0 && scenario.stopTokenIds.contains(answer[delivered - 1])) {
      complete(FinishReason.STOP);
    }
    return end != null;
  }

  private void complete(FinishReason reason) {
    finish = reason;
    end = End.COMPLETED;
  }

  private boolean isBudgetSpent() {
    return scenario.maxTokens != StopConditions.UNSET
        && delivered > 0
        && delivered == scenario.maxTokens;
  }

  @Override
  public String toString() {
    return "delivered="
        + delivered
        + ", end="
        + end
        + ", error="
        + error
        + ", finish="
        + finish
        + ", "
        + log;
  }
}
