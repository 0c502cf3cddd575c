// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.RoutingConstraints;
import io.dynamo4j.kvrouter.QueueRejectedException.Limit;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AdmissionQueueTest {
  private static final long SECOND = 1_000_000_000L;

  private static QueueFixture one(QueueConfig queue) {
    return new QueueFixture(1, 1, queue);
  }

  private static QueueFixture full(QueuePolicy policy) {
    QueueFixture fixture = one(QueueFixture.half(policy));
    fixture.ask("a", 60);
    return fixture;
  }

  private static ErrorType type(Throwable failure) {
    return ((DynamoException) failure).errorType();
  }

  private static QueueStatus ofDefaultClass(int requests, long promptTokens) {
    return new QueueStatus(
        requests,
        promptTokens,
        List.of(new QueueStatus.OfClass("default", requests, promptTokens, 0)));
  }

  /* --------------- When to wait --------------- */

  @Test
  void shouldWaitOnlyBeyondTheThreshold() {
    QueueFixture fixture = one(QueueFixture.half(QueuePolicy.FCFS));
    fixture.ask("a", 50);
    fixture.ask("b", 10);
    fixture.ask("c", 10);

    assertThat(fixture.admitted()).containsExactly("a", "b");
    assertThat(fixture.router.queueStatus()).isEqualTo(ofDefaultClass(1, 10));

    fixture.computed("a");
    assertThat(fixture.admitted()).containsExactly("a", "b", "c");
    assertThat(fixture.router.queueStatus()).isEqualTo(ofDefaultClass(0, 0));
  }

  @Test
  void shouldNeverWaitByDefault() {
    QueueFixture fixture = one(QueueConfig.off());
    for (int i = 0; i < 20; i++) {
      fixture.ask("r" + i, 60);
    }
    assertThat(fixture.admitted()).hasSize(20);
  }

  @Test
  void shouldAdmitAHugePromptToAnIdleWorkerAndKeepOthersBehindIt() {
    QueueFixture fixture = one(QueueFixture.half(QueuePolicy.FCFS));
    fixture.ask("huge", 5_000);
    fixture.ask("small", 1);
    assertThat(fixture.admitted()).containsExactly("huge");

    fixture.ended("huge");
    assertThat(fixture.admitted()).containsExactly("huge", "small");
  }

  @Test
  void s1ShouldNotLetAQuestionWait() {
    QueueFixture fixture = full(QueuePolicy.FCFS);
    fixture.ask("b", 60);

    assertThat(fixture.router.query(fixture.prompt("q", 60).build()).worker()).isEqualTo(worker(1));
  }

  @Test
  void s1ShouldTellAnOverloadAtOnceInsteadOfWaiting() {
    QueueFixture fixture = full(QueuePolicy.FCFS);
    fixture.monitor.thresholds(LoadThresholds.builder().activePrefillTokens(55L).build());
    fixture.ask("b", 8);

    assertThat(fixture.failure("b")).isInstanceOf(NoEligibleWorkerException.class);
    assertThat(type(fixture.failure("b"))).isEqualTo(ErrorType.CAPACITY_EXHAUSTED);
  }

  @Test
  void shouldKeepWhoWaitsAlreadyThroughAnOverload() {
    QueueFixture fixture = full(QueuePolicy.FCFS);
    fixture.ask("b", 8);
    fixture.monitor.thresholds(LoadThresholds.builder().activePrefillTokens(55L).build());
    fixture.simulation.runFor(SECOND);
    assertThat(fixture.isResolved("b")).isFalse();

    fixture.computed("a");
    assertThat(fixture.admitted()).containsExactly("a", "b");
  }

  @Test
  void s1ShouldRefuseADuplicateBeforeItWaits() {
    QueueFixture fixture = full(QueuePolicy.FCFS);
    fixture.ask("b", 60);
    fixture.ask("b", 60);
    assertThat(type(fixture.failure("b"))).isEqualTo(ErrorType.DUPLICATE_REQUEST);

    fixture.ask("a", 60);
    assertThat(type(fixture.failure("a"))).isEqualTo(ErrorType.DUPLICATE_REQUEST);
    assertThat(fixture.router.queueStatus().requests()).isEqualTo(1);
  }

  @Test
  void shouldRefuseWhatNobodyCouldServeInsteadOfKeepingIt() {
    QueueFixture fixture = full(QueuePolicy.FCFS);
    fixture.ask(
        "b",
        8,
        hints -> hints.constraints(RoutingConstraints.builder().requireTaint("nobody").build()));

    assertThat(type(fixture.failure("b"))).isEqualTo(ErrorType.UNAVAILABLE);
  }

  /* --------------- Order --------------- */

  @ParameterizedTest
  @CsvSource({"FCFS, b c d", "LCFS, d c b", "WSPT, d b c"})
  void shouldServeInTheOrderOfThePolicy(QueuePolicy policy, String order) {
    QueueFixture fixture = full(policy);
    fixture.ask("b", 60);
    fixture.ask("c", 80);
    fixture.ask("d", 56);

    assertThat(String.join(" ", served(fixture, "a"))).isEqualTo("a " + order);
  }

  /** Ends one after the other, each admitting the next. */
  private static Iterable<String> served(QueueFixture fixture, String first) {
    fixture.ended(first);
    for (int i = 1; i < fixture.admitted().size(); i++) {
      fixture.ended(fixture.admitted().get(i));
    }
    return fixture.admitted();
  }

  @Test
  void shouldServeStrictPriorityFirstAndThenByTheJumpInSeconds() {
    QueueFixture fixture = full(QueuePolicy.FCFS);
    fixture.ask("b", 60);
    fixture.ask("c", 60, hints -> hints.priorityJumpSeconds(5));
    fixture.ask("d", 60, hints -> hints.priorityJumpSeconds(0.0001));
    fixture.ask("e", 60, hints -> hints.strictPriority(1));
    fixture.ask("f", 60, hints -> hints.priorityJumpSeconds(100));

    assertThat(served(fixture, "a")).containsExactly("a", "e", "f", "c", "b", "d");
  }

  @Test
  void shouldCountCachedTokensForTheShortestPrompt() {
    QueueFixture fixture = full(QueuePolicy.WSPT);
    fixture.ask("b", 60);
    fixture.indexer.hold(worker(1), 10);
    fixture.ask("c", 80);

    assertThat(served(fixture, "a")).containsExactly("a", "c", "b");
  }

  @Test
  void shouldLetOtherLinesPassAPinnedRequestThatCannotGo() {
    QueueFixture fixture = new QueueFixture(1, 2, QueueFixture.half(QueuePolicy.FCFS));
    fixture.ask("a1", 60, hints -> hints.pinnedWorker(worker(1)));
    fixture.ask("a2", 60, hints -> hints.pinnedWorker(worker(2)));
    fixture.ask("b1", 60, hints -> hints.pinnedWorker(worker(1)));
    fixture.ask("any", 60);

    fixture.computed("a2");
    assertThat(fixture.admitted()).containsExactly("a1", "a2", "any");
    assertThat(fixture.lease("any").worker()).isEqualTo(worker(2));

    fixture.computed("a1");
    assertThat(fixture.lease("b1").worker()).isEqualTo(worker(1));
  }

  /* --------------- Classes --------------- */

  private static PolicyClass.Builder half(String name) {
    return PolicyClass.builder(name).prefillBusyThresholdFraction(0.5);
  }

  @Test
  void shouldShareTokensByTheQuantaOfClassesWithWork() {
    QueueFixture fixture =
        one(
            QueueConfig.builder()
                .policyClass(half("paid").quantum(300).build())
                .policyClass(half("free").quantum(100).build())
                .build());
    fixture.ask("first", 60);
    for (int i = 0; i < 40; i++) {
      fixture.ask("paid" + i, 60, hints -> hints.policyClass("paid"));
      fixture.ask("free" + i, 60, hints -> hints.policyClass("free"));
    }
    fixture.ended("first");
    for (int i = 1; i < 41; i++) {
      fixture.ended(fixture.admitted().get(i));
    }

    assertThat(fixture.admitted().subList(1, 41).stream().filter(id -> id.startsWith("paid")))
        .hasSizeBetween(28, 32);
  }

  @Test
  void shouldResolveClassesByNameFamilyAndUncachedTokens() {
    QueueConfig config =
        QueueConfig.builder()
            .defaultFamily("std")
            .uncachedBucket(0, "small")
            .uncachedBucket(64, "large")
            .policyClass(half("std_small").family("std").bucket("small").build())
            .policyClass(half("std_large").family("std").bucket("large").build())
            .policyClass(half("vip_any").family("vip").build())
            .policyClass(half("batch").build())
            .build();

    assertThat(config.resolve("", 63)).isZero();
    assertThat(config.resolve("", 64)).isEqualTo(1);
    assertThat(config.resolve("vip", 64)).isEqualTo(2);
    assertThat(config.resolve("batch", 64)).isEqualTo(3);
    assertThat(config.resolve("std_large", 1)).isZero();
    assertThat(config.resolve("nobody knows it", 64)).isEqualTo(1);
  }

  @Test
  void shouldGiveEachClassItsOwnThreshold() {
    QueueFixture fixture =
        one(
            QueueConfig.builder()
                .policyClass(half("patient").build())
                .policyClass(PolicyClass.builder("eager").build())
                .build());
    fixture.ask("a", 60);
    fixture.ask("b", 60, hints -> hints.policyClass("patient"));
    fixture.ask("c", 60, hints -> hints.policyClass("eager"));

    assertThat(fixture.admitted()).containsExactly("a", "c");
  }

  /* --------------- Bounds --------------- */

  @ParameterizedTest
  @CsvSource({"REQUESTS, 2", "PROMPT_TOKENS, 120", "CACHED_TOKENS, 8"})
  void shouldRefuseBeyondABoundWithWhatWasSeen(Limit kind, long current) {
    PolicyClass.Builder bounded = half("bounded");
    switch (kind) {
      case REQUESTS -> bounded.requestLimitPerWorker(2);
      case PROMPT_TOKENS -> bounded.promptTokenLimitPerWorker(61);
      default -> bounded.cachedTokenLimitPerWorker(5);
    }
    QueueFixture fixture = one(QueueConfig.builder().policyClass(bounded.build()).build());
    fixture.indexer.hold(worker(1), 1);
    fixture.ask("a", 64);
    fixture.ask("b", 60);
    fixture.ask("c", 60);
    fixture.ask("d", 60);

    QueueRejectedException rejected = (QueueRejectedException) fixture.failure("d");
    assertThat(rejected.errorType()).isEqualTo(ErrorType.CAPACITY_EXHAUSTED);
    assertThat(rejected.policyClass()).isEqualTo("bounded");
    assertThat(rejected.limitKind()).isEqualTo(kind);
    assertThat(rejected.current()).isEqualTo(current);
    assertThat(rejected.requestId()).isEqualTo("d");
    assertThat(rejected).hasMessageStartingWith("queue rejected the request: request=d");
  }

  @Test
  void shouldScaleBoundsWithTheFleetAndNotEvictWhenItShrinks() {
    QueueFixture fixture =
        new QueueFixture(
            1,
            2,
            QueueConfig.builder().policyClass(half("b").requestLimitPerWorker(1).build()).build());
    fixture.ask("a1", 60, hints -> hints.pinnedWorker(worker(1)));
    fixture.ask("a2", 60, hints -> hints.pinnedWorker(worker(2)));
    fixture.ask("b", 60);
    fixture.ask("c", 60);
    fixture.directory.unregister(2);
    fixture.ask("d", 60);

    assertThat(((QueueRejectedException) fixture.failure("d")).limit()).isEqualTo(1);
    assertThat(fixture.router.queueStatus().requests()).isEqualTo(2);
  }

  @Test
  void shouldRefuseRatherThanQueueWhereTheRequestSaysSo() {
    QueueFixture fixture = full(QueuePolicy.FCFS);
    fixture.ask(fixture.prompt("b", 8).doNotQueue(true));
    assertThat(((QueueRejectedException) fixture.failure("b")).limitKind())
        .isEqualTo(Limit.DO_NOT_QUEUE);

    fixture.computed("a");
    fixture.ask(fixture.prompt("c", 8).doNotQueue(true));
    assertThat(fixture.admitted()).containsExactly("a", "c");
  }

  @Test
  void shouldEndAWaitAtTheDeadlineOfTheRequestOrTheBoundOfAll() {
    QueueFixture fixture =
        one(
            QueueConfig.builder()
                .policyClass(half("default").build())
                .maxWait(Duration.ofSeconds(5))
                .build());
    fixture.ask("a", 60);
    fixture.ask(fixture.prompt("b", 8).deadlineNanos(fixture.simulation.nowNanos() + 2 * SECOND));
    fixture.ask("c", 8);

    fixture.simulation.runFor(2 * SECOND);
    assertThat(type(fixture.failure("b"))).isEqualTo(ErrorType.DEADLINE_EXCEEDED);
    assertThat(((QueueRejectedException) fixture.failure("b")).limitKind()).isEqualTo(Limit.WAIT);
    assertThat(fixture.isResolved("c")).isFalse();

    fixture.simulation.runFor(3 * SECOND);
    assertThat(type(fixture.failure("c"))).isEqualTo(ErrorType.DEADLINE_EXCEEDED);
    assertThat(fixture.router.queueStatus()).isEqualTo(ofDefaultClass(0, 0));
  }

  /* --------------- Giving up --------------- */

  @Test
  void shouldForgetARequestThatIsCancelledWhileItWaits() {
    QueueFixture fixture = full(QueuePolicy.FCFS);
    fixture.ask("b", 60);
    fixture.ask("c", 60);
    fixture.ask("d", 60);
    assertThat(fixture.giveUp("b")).isTrue();
    fixture.router.cancel(new BookingKey("c", 0));
    fixture.router.cancel(new BookingKey("unknown", 0));
    fixture.simulation.runFor(1_000_000);
    assertThat(fixture.router.queueStatus()).isEqualTo(ofDefaultClass(1, 60));

    fixture.computed("a");
    assertThat(fixture.admitted()).containsExactly("a", "d");
    assertThat(fixture.router.bookingCount()).isEqualTo(2);
  }

  @Test
  void shouldLetTheRestPassAHeadThatGaveUp() {
    QueueFixture fixture = new QueueFixture(1, 2, QueueFixture.half(QueuePolicy.FCFS));
    fixture.ask("a1", 60, hints -> hints.pinnedWorker(worker(1)));
    fixture.ask("a2", 60, hints -> hints.pinnedWorker(worker(2)));
    fixture.ask("only1", 60, hints -> hints.allowedWorkerIds(1));
    fixture.ask("any", 60);
    fixture.computed("a2");
    assertThat(fixture.isResolved("any")).isFalse(); // one line, in its order

    fixture.router.cancel(new BookingKey("only1", 0));
    fixture.simulation.runFor(1_000_000);
    assertThat(fixture.admitted()).containsExactly("a1", "a2", "any");
  }

  @Test
  void shouldFreeALeaseThatComesTooLateForACancel() {
    QueueFixture fixture = one(QueueFixture.half(QueuePolicy.FCFS));
    var stage = fixture.router.select(fixture.prompt("a", 60).build()).toCompletableFuture();
    assertThat(stage.cancel(false)).isTrue();
    fixture.simulation.runFor(1_000_000);

    assertThat(fixture.router.bookingCount()).isZero();
  }

  @Test
  void shouldFailWhoeverWaitsWhenTheRouterCloses() {
    QueueFixture fixture = full(QueuePolicy.FCFS);
    fixture.ask("b", 60);
    fixture.router.close();
    fixture.simulation.runFor(1_000_000);
    fixture.ask("c", 60);

    assertThat(type(fixture.failure("b"))).isEqualTo(ErrorType.CLOSED);
    assertThat(type(fixture.failure("c"))).isEqualTo(ErrorType.CLOSED);
    assertThat(fixture.router.bookingCount()).isEqualTo(1);
  }

  /* --------------- What wakes it --------------- */

  @Test
  void shouldLookAgainWhenAWorkerComesAndFailWhatNobodyIsLeftFor() {
    QueueFixture fixture = full(QueuePolicy.FCFS);
    fixture.ask("b", 60);
    fixture.register(2);
    fixture.simulation.runFor(1_000_000);
    assertThat(fixture.lease("b").worker()).isEqualTo(worker(2));

    fixture.ask("c", 60);
    fixture.directory.unregister(1);
    fixture.directory.unregister(2);
    fixture.simulation.runFor(1_000_000);
    assertThat(type(fixture.failure("c"))).isEqualTo(ErrorType.UNAVAILABLE);
  }

  @Test
  void shouldDecideOnTheLoadOfTheMomentWhenCapacityFrees() {
    QueueFixture fixture = new QueueFixture(1, 2, QueueFixture.half(QueuePolicy.FCFS));
    fixture.ask("a1", 60, hints -> hints.pinnedWorker(worker(1)));
    fixture.ask("a2", 90, hints -> hints.pinnedWorker(worker(2)));
    fixture.ask("b", 40); // when it came, worker 1 was the better one
    fixture.ended("a2");

    assertThat(fixture.lease("b").worker()).isEqualTo(worker(2));
  }

  @Test
  void shouldAskTheIndexAgainAfterALongWait() {
    QueueFixture fixture = full(QueuePolicy.FCFS);
    fixture.ask("b", 60);
    int lookups = fixture.indexer.lookups();
    fixture.indexer.hold(worker(1), 5);
    fixture.simulation.runFor(10 * SECOND);
    fixture.computed("a");

    assertThat(fixture.indexer.lookups()).isEqualTo(lookups + 1);
    assertThat(fixture.lease("b").selection().cachedTokens()).isEqualTo(20);
  }

  /* --------------- Bad input --------------- */

  @Test
  void shouldRefuseSettingsOutOfRange() {
    assertThatThrownBy(() -> QueueConfig.ofThreshold(-1, QueuePolicy.FCFS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("router_queue_threshold must be greater than or equal to 0");
    assertThatThrownBy(
            () -> QueueConfig.fromEnvironment(Map.of("DYN_ROUTER_QUEUE_THRESHOLD", "NaN")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> QueueConfig.builder().build())
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(
            () ->
                QueueConfig.builder()
                    .policyClass(half("x").build())
                    .policyClass(half("x").family("y").build())
                    .build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("class=x");
    assertThatThrownBy(
            () ->
                QueueConfig.builder()
                    .policyClass(half("x").build())
                    .uncachedBucket(5, "late")
                    .build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("first=5");
    assertThatThrownBy(() -> half("x").quantum(0).build())
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> half("x").requestLimitPerWorker(-1).build())
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldReadDynamosVariables() {
    QueueConfig config =
        QueueConfig.fromEnvironment(
            Map.of(
                "DYN_ROUTER_QUEUE_THRESHOLD", "0.5",
                "DYN_ROUTER_QUEUE_POLICY", "wspt",
                "DYN_ROUTER_OVERLAP_REFRESH_AFTER_SECS", "2.5"));

    assertThat(config.waits()).isTrue();
    assertThat(config.classes().get(0).queuePolicy()).isEqualTo(QueuePolicy.WSPT);
    assertThat(config.classes().get(0).prefillBusyThresholdFraction()).isEqualTo(0.5);
    assertThat(config.overlapRefreshAfter()).isEqualTo(Duration.ofMillis(2_500));
    assertThat(QueueConfig.fromEnvironment(Map.of()).waits()).isFalse();
    assertThat(
            QueueConfig.fromEnvironment(Map.of("DYN_ROUTER_OVERLAP_REFRESH_AFTER_SECS", "-1"))
                .overlapRefreshAfter())
        .isZero();
  }
}
