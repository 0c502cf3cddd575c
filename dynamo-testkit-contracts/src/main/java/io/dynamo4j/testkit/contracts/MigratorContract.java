// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.migration.DrainResult;
import io.dynamo4j.migration.MigrationOptions;
import io.dynamo4j.testkit.contracts.WorkerFate.Answers;
import io.dynamo4j.testkit.contracts.WorkerFate.AnswersLate;
import io.dynamo4j.testkit.contracts.WorkerFate.BreaksAfter;
import io.dynamo4j.testkit.contracts.WorkerFate.EndsAfter;
import io.dynamo4j.testkit.contracts.WorkerFate.FailsAfterFinish;
import io.dynamo4j.testkit.contracts.WorkerFate.HangsAfter;
import io.dynamo4j.testkit.contracts.WorkerFate.NeverOpens;
import io.dynamo4j.testkit.contracts.WorkerFate.Overruns;
import io.dynamo4j.testkit.contracts.WorkerFate.Refuses;
import io.dynamo4j.testkit.script.ScriptedDispatch;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What every migrator must do, whoever wrote it. Extend it and say how your migrator is made:
 *
 * <pre>{@code
 * class MyMigratorTest extends MigratorContract {
 *   protected MigratorFactory factory() {
 *     return MyMigrator::new;
 *   }
 * }
 * }</pre>
 *
 * <p>Every test runs in virtual time on workers that follow scripts and whose tokens are a function
 * of their whole context: a lost, repeated or altered token shows in every one after it.
 */
public abstract class MigratorContract {
  private static final Answers ANSWERS = new Answers();
  private static final Duration SOON = Duration.ofMillis(100);

  /** Makes the migrator under test. */
  protected abstract MigratorFactory factory();

  private void check(MigrationCase played) {
    played.check(factory());
  }

  private MigrationPlay prepare(MigrationCase played) {
    return new MigrationPlay(played, factory());
  }

  private static BreaksAfter breaks(int tokens) {
    return new BreaksAfter(tokens, ErrorType.DISCONNECTED);
  }

  private static Refuses refuses() {
    return new Refuses(ErrorType.CANNOT_CONNECT);
  }

  /* --------------- One unbroken stream --------------- */

  @Test
  public void shouldBringWholeAnswerWhenNoWorkerFails() {
    check(MigrationCase.of(0, ANSWERS));
    check(MigrationCase.of(0, new AnswersLate(Duration.ofMillis(200))));
  }

  @Test
  public void shouldContinueAfterLastDeliveredTokenWhenWorkerDies() {
    check(MigrationCase.of(1, breaks(3), ANSWERS));
    check(MigrationCase.of(1, breaks(0), ANSWERS));
    check(MigrationCase.of(1, breaks(7), ANSWERS));
    check(MigrationCase.of(3, breaks(2), breaks(1), breaks(3), ANSWERS));
  }

  @Test
  public void shouldTryAnotherWorkerWhenOneRefuses() {
    check(MigrationCase.of(1, refuses(), ANSWERS));
    check(MigrationCase.of(2, breaks(2), refuses(), ANSWERS));
  }

  @Test
  public void shouldNotCallAnIncompleteStreamASuccess() {
    check(MigrationCase.of(0, new EndsAfter(3)));
    check(MigrationCase.of(1, new EndsAfter(3), ANSWERS));
  }

  @Test
  public void shouldFinishHereWhenOnlyTheEndIsMissing() {
    check(MigrationCase.of(2, new FailsAfterFinish(ErrorType.DISCONNECTED), ANSWERS));
    check(MigrationCase.of(2, breaks(8), ANSWERS));
    check(MigrationCase.of(0, new EndsAfter(8)));
  }

  @Test
  public void shouldCutOffWorkerThatOverruns() {
    check(MigrationCase.of(0, new Overruns()));
    check(MigrationCase.of(1, breaks(5), new Overruns()));
  }

  /* --------------- The budget --------------- */

  @Test
  public void shouldSpendOneBudgetOverBothPhases() {
    check(MigrationCase.of(2, refuses(), breaks(2), refuses(), ANSWERS));
    check(MigrationCase.of(2, breaks(2), breaks(2), breaks(2), ANSWERS));
    check(MigrationCase.of(3, breaks(2), refuses(), breaks(2), ANSWERS));
  }

  @Test
  public void shouldNeverMigrateWhenLimitIsZero() {
    check(MigrationCase.of(0, breaks(3), ANSWERS));
    check(MigrationCase.of(0, refuses(), ANSWERS));
  }

  @Test
  public void shouldFailWhenNobodyIsLeft() {
    check(MigrationCase.of(5, breaks(3), refuses()));
    check(MigrationCase.of(5));
  }

  @Test
  public void shouldAskNobodyElseWhenTheRequestIsAtFault() {
    check(MigrationCase.of(5, new Refuses(ErrorType.INVALID_REQUEST), ANSWERS));
    check(MigrationCase.of(5, breaks(2), new Refuses(ErrorType.INVALID_REQUEST), ANSWERS));
  }

  @Test
  public void shouldNotContinueWhenSequenceIsTooLong() {
    check(MigrationCase.of(2, breaks(3), ANSWERS).withMaxSeqLen(6));
    check(MigrationCase.of(2, breaks(4), ANSWERS).withMaxSeqLen(6));
    check(MigrationCase.of(2, refuses(), breaks(4), ANSWERS).withMaxSeqLen(2));
  }

  @Test
  public void shouldTellTypeWorkerAndCauseWhenItGivesUp() {
    StrictClient client = prepare(MigrationCase.of(1, breaks(2), breaks(1))).play();

    assertThat(client.error()).isInstanceOf(DynamoException.class);
    if (client.error() instanceof DynamoException failure) {
      assertThat(failure.errorType()).isEqualTo(ErrorType.DISCONNECTED);
      assertThat(failure.worker()).isNotNull();
    }
  }

  /* --------------- The workers --------------- */

  @Test
  public void shouldRuleOutEveryWorkerThatFailedTheRequest() {
    MigrationPlay play = prepare(MigrationCase.of(3, breaks(1), refuses(), breaks(1), ANSWERS));
    play.play();

    List<ScriptedDispatch> dispatches = play.dispatches();
    assertThat(dispatches).hasSize(4);
    for (int i = 0; i < dispatches.size(); i++) {
      assertThat(dispatches.get(i).attempt().excludedWorkers()).hasSize(i);
    }
  }

  @Test
  public void shouldKeepExclusionsOfRequestsApart() {
    MigrationPlay play = prepare(MigrationCase.of(1, breaks(1), ANSWERS));
    play.play();
    play.play();

    assertThat(play.dispatches().get(2).attempt().excludedWorkers()).isEmpty();
    assertThat(play.dispatches().get(2).worker()).isEqualTo(WorkerWithDpRank.of(1));
  }

  @Test
  public void shouldGiveUpWorkerThatIsNotHeardOf() {
    check(MigrationCase.of(1, new NeverOpens(), ANSWERS));
    check(MigrationCase.of(1, new HangsAfter(0), ANSWERS));
    check(MigrationCase.of(0, new HangsAfter(3)));
  }

  @Test
  public void shouldDropWhatAGivenUpWorkerStillBrings() {
    check(
        MigrationCase.of(
            1, new HangsAfter(3), new AnswersLate(MigrationCase.STALL_TIMEOUT.dividedBy(3))));
  }

  /* --------------- The client --------------- */

  @Test
  public void shouldSendNothingBeforeSomebodySubscribes() {
    MigrationCase played = MigrationCase.of(0, ANSWERS);
    MigrationPlay play = prepare(played);
    play.simulation()
        .controller()
        .execute(() -> play.migrator().migrate(played.request("unused"), played.options()));
    play.run();

    assertThat(play.dispatches()).isEmpty();
  }

  @Test
  public void shouldRefuseSecondSubscriber() {
    MigrationCase played = MigrationCase.of(0, ANSWERS);
    MigrationPlay play = prepare(played);
    StrictClient first = StrictClient.of(0, MigrationCase.STAYS);
    StrictClient second = StrictClient.of(0, MigrationCase.STAYS);
    play.simulation()
        .controller()
        .execute(
            () -> {
              var stream = play.migrator().migrate(played.request("shared"), played.options());
              stream.subscribe(first);
              stream.subscribe(second);
            });
    play.run();

    assertThat(first.isCompleted()).isTrue();
    assertThat(second.error()).isInstanceOf(IllegalStateException.class);
    assertThat(second.breaches()).isEmpty();
    assertThat(play.dispatches()).hasSize(1);
  }

  @Test
  public void shouldNeverSignalUnderTheSubscribersCall() {
    MigrationPlay play = prepare(MigrationCase.of(0, ANSWERS));
    StrictClient client = StrictClient.of(0, MigrationCase.STAYS);
    boolean[] inline = {false};
    play.simulation()
        .controller()
        .execute(
            () -> {
              play.migrator()
                  .migrate(MigrationCase.of(0, ANSWERS).request("inline"))
                  .subscribe(client);
              inline[0] = client.isSubscribed();
            });
    play.run();

    assertThat(inline[0]).isFalse();
    assertThat(client.breaches()).isEmpty();
  }

  @Test
  public void shouldDeliverNoMoreThanAskedFor() {
    for (int window = 1; window <= 4; window++) {
      check(MigrationCase.of(0, ANSWERS).withWindow(window));
      check(MigrationCase.of(2, breaks(3), breaks(2), ANSWERS).withWindow(window));
    }
  }

  @Test
  public void shouldAskNextWorkerForWhatIsOutstanding() {
    MigrationPlay play = prepare(MigrationCase.of(1, breaks(2), ANSWERS));
    StrictClient client = StrictClient.idle();
    play.subscribe(client);
    play.run();
    client.request(5);
    play.run();

    assertThat(client.items()).hasSize(5);
    assertThat(client.isEnded()).isFalse();
    assertThat(play.dispatches().get(1).requestedItems()).isEqualTo(3);
    client.request(Long.MAX_VALUE);
    play.run();
    assertThat(client.isCompleted()).isTrue();
    assertThat(client.breaches()).isEmpty();
  }

  @Test
  public void shouldFailClientThatAsksForNothing() {
    MigrationPlay play = prepare(MigrationCase.of(1, ANSWERS));
    StrictClient client = StrictClient.idle();
    play.subscribe(client);
    play.simulation().controller().schedule(() -> client.request(0), 1_000);
    play.run();

    assertThat(client.error()).isInstanceOf(IllegalArgumentException.class);
    assertThat(play.dispatches()).allMatch(ScriptedDispatch::isCancelled);
  }

  @Test
  public void shouldTellWorkerWhenClientLeaves() {
    for (int items = 0; items < 8; items++) {
      check(MigrationCase.of(2, breaks(3), new HangsAfter(2), ANSWERS).withCancelAfter(items));
    }
  }

  @Test
  public void shouldTellWorkerWhenClientLeavesInSilence() {
    for (WorkerFate silent : List.of(new NeverOpens(), new HangsAfter(0), new HangsAfter(3))) {
      MigrationPlay play = prepare(MigrationCase.of(3, silent, ANSWERS));
      StrictClient client = StrictClient.of(0, MigrationCase.STAYS);
      play.subscribe(client);
      play.simulation()
          .controller()
          .schedule(client::cancel, MigrationCase.STALL_TIMEOUT.dividedBy(2).toNanos());
      play.run();

      assertThat(play.dispatches()).hasSize(1).allMatch(ScriptedDispatch::isCancelled);
      assertThat(client.isEnded()).isFalse();
      assertThat(client.breaches()).isEmpty();
    }
  }

  /* --------------- A worker that drains --------------- */

  @Test
  public void shouldMoveStreamOffDrainingWorkerWithoutSpendingBudget() {
    MigrationPlay play = prepare(MigrationCase.of(1, new HangsAfter(3), breaks(2), ANSWERS));
    StrictClient client = StrictClient.of(0, MigrationCase.STAYS);
    play.subscribe(client);
    List<DrainResult> drained = play.drainFirst(SOON, MigrationCase.STALL_TIMEOUT);
    play.run();

    assertThat(drained).containsExactly(new DrainResult(1, 0, 0, 0));
    assertThat(play.dispatches()).hasSize(3);
    assertThat(play.dispatches().get(0).isCancelled()).isTrue();
    assertWhole(play, client);
  }

  @Test
  public void shouldLetStreamsFinishThatMayNotMove() {
    MigrationPlay play =
        prepare(MigrationCase.of(0, new AnswersLate(Duration.ofMillis(200)), ANSWERS));
    StrictClient client = StrictClient.of(0, MigrationCase.STAYS);
    play.subscribe(client);
    List<DrainResult> drained = play.drainFirst(SOON, MigrationCase.STALL_TIMEOUT);
    play.run();

    assertThat(drained).containsExactly(new DrainResult(0, 1, 0, 0));
    assertThat(play.dispatches()).hasSize(1);
    assertWhole(play, client);
  }

  @Test
  public void shouldLeaveStreamWhereItIsWhenTimeToDrainIsUp() {
    MigrationPlay play = prepare(MigrationCase.of(1, new AnswersLate(Duration.ofMillis(400))));
    StrictClient client = StrictClient.of(0, MigrationCase.STAYS);
    play.subscribe(client);
    List<DrainResult> drained = play.drainFirst(SOON, SOON);
    play.run();

    assertThat(drained).containsExactly(new DrainResult(0, 0, 0, 1));
    assertWhole(play, client);
  }

  private static void assertWhole(MigrationPlay play, StrictClient client) {
    assertThat(client.breaches()).isEmpty();
    assertThat(client.isCompleted()).isTrue();
    assertThat(client.tokens()).containsExactly(play.answer(8));
    assertThat(client.finishReasons()).hasSize(1);
    assertThat(play.dispatches()).allMatch(each -> each.isEnded() || each.isCancelled());
  }

  /* --------------- A first token that is late --------------- */

  private static MigrationOptions hedged(MigrationCase played) {
    return played.options().toBuilder().hedgeAfter(SOON).build();
  }

  @Test
  public void shouldRaceForFirstTokenWhenItIsLate() {
    MigrationCase played =
        MigrationCase.of(
            1,
            new AnswersLate(Duration.ofMillis(300)),
            new AnswersLate(Duration.ofMillis(50)),
            ANSWERS);
    MigrationPlay play = prepare(played);
    StrictClient client = StrictClient.of(0, MigrationCase.STAYS);
    play.subscribe(client, hedged(played));
    play.run();

    assertThat(play.dispatches()).hasSize(2);
    assertThat(play.dispatches().get(0).isCancelled()).isTrue();
    assertThat(play.dispatches().get(1).attempt().excludedWorkers())
        .containsExactly(WorkerWithDpRank.of(1));
    assertWhole(play, client);
  }

  @Test
  public void shouldKeepFirstOfTwoWhenItIsFirst() {
    MigrationCase played =
        MigrationCase.of(1, new AnswersLate(Duration.ofMillis(100)), new NeverOpens());
    MigrationPlay play = prepare(played);
    StrictClient client = StrictClient.of(0, MigrationCase.STAYS);
    play.subscribe(client, hedged(played));
    play.run();

    assertThat(play.dispatches()).hasSize(2);
    assertThat(play.dispatches().get(1).isCancelled()).isTrue();
    assertWhole(play, client);
  }

  @Test
  public void shouldNotRaceBeyondTheLimit() {
    MigrationCase played = MigrationCase.of(0, new AnswersLate(Duration.ofMillis(300)), ANSWERS);
    MigrationPlay play = prepare(played);
    StrictClient client = StrictClient.of(0, MigrationCase.STAYS);
    play.subscribe(client, hedged(played));
    play.run();

    assertThat(play.dispatches()).hasSize(1);
    assertWhole(play, client);
  }

  /* --------------- The end --------------- */

  @Test
  public void shouldEndOpenStreamsWhenClosed() {
    MigrationPlay play = prepare(MigrationCase.of(3, new NeverOpens(), ANSWERS));
    StrictClient client = StrictClient.of(0, MigrationCase.STAYS);
    play.subscribe(client);
    play.simulation().controller().schedule(play.migrator()::close, 1_000);
    play.run();

    assertThat(client.error()).isInstanceOf(DynamoException.class);
    assertThat(client.breaches()).isEmpty();
    assertThat(play.dispatches()).hasSize(1).allMatch(ScriptedDispatch::isCancelled);
  }
}
