// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static io.dynamo4j.migration.ModelRun.NEVER;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.migration.ModelLog.Fact;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a client must see, by walking through the scripts on one time line: no lanes, no demand, no
 * callbacks, and nothing shared with the migrator.
 */
final class MigrationModel extends ModelState {
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

  private MigrationModel(Scenario scenario, boolean joined) {
    super(scenario, joined);
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
      fail(ErrorType.UNAVAILABLE);
      return;
    }
    if (waitEnds == NEVER) {
      waitEnds = now + options.replacementWaitNanos();
      log.waits++;
      log.sometimes(Fact.WAITED);
    }
    if (waitEnds - now <= 0) {
      log.sometimes(Fact.WAIT_IN_VAIN);
      fail(ErrorType.UNAVAILABLE);
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
    if (first == null || rival != null || first.answered || held || isBudgetSpent()) {
      return;
    }
    if (attemptsLeft == 0 || !canContinue()) {
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
      fail(type);
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
      fail(type);
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
      fail(type);
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
