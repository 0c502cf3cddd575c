// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.RoutingConstraints;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Workers 1 and 2 compute prompts, 11 and 12 answer. */
class DisaggregatedRouterTest {
  private static final List<WorkerWithDpRank> PREFILL = List.of(worker(1), worker(2));
  private static final List<WorkerWithDpRank> DECODE = List.of(worker(11), worker(12));

  private final RouterFixture prefills = pool(1);
  private final RouterFixture decodes = pool(11);
  private final LoadMonitor prefillLoads = LoadMonitor.create(prefills.nanos::get);
  private final KvRouter prefill =
      prefills
          .builder()
          .loadMonitor(prefillLoads)
          .config(DisaggregatedRouter.prefillConfig(KvRouterConfig.ofDefaults()))
          .build();
  private final KvRouter decode = decodes.router();
  private final DisaggregatedRouter router = router(PrefillBypass.never());

  private static RouterFixture pool(long first) {
    RouterFixture fixture = new RouterFixture(0);
    for (long id = first; id < first + 2; id++) {
      fixture.directory.register(
          RouterFixture.instance(id)
              .totalKvBlocks(100)
              .maxBatchedTokens(64)
              .taints("dynamo.topology/rack=r" + (id % 10))
              .build());
    }
    return fixture;
  }

  private DisaggregatedRouter router(PrefillBypass bypass) {
    return DisaggregatedRouter.builder().prefill(prefill).decode(decode).bypass(bypass).build();
  }

  @AfterEach
  void booksAddUp() {
    LeaseInvariant.check(prefill, PREFILL);
    LeaseInvariant.check(decode, DECODE);
  }

  @Test
  void shouldBookOnOneWorkerOfEachPool() {
    DisaggregatedLease lease = router.trySelect(request("a", tokens(0, 32)));

    RequestLease first = Objects.requireNonNull(lease.prefill());
    assertThat(lease.route()).isEqualTo(PrefillRoute.REMOTE);
    assertThat(PREFILL).contains(first.worker());
    assertThat(DECODE).contains(lease.decode().worker());
    assertThat(prefill.load(first.worker())).isEqualTo(new WorkerLoad(32, 0, 1));
    assertThat(decode.load(lease.decode().worker())).isEqualTo(new WorkerLoad(0, 8, 1));

    lease.close();
    lease.close();
    assertThat(prefill.bookingCount()).isZero();
    assertThat(decode.bookingCount()).isZero();
  }

  @Test
  void shouldKnowWhatTheDecodeWorkerHoldsAndPreferIt() {
    decodes.indexer.hold(worker(12), 6);
    prefills.indexer.hold(worker(2), 3);

    for (int i = 0; i < 8; i++) {
      try (DisaggregatedLease lease = router.trySelect(request("r" + i, tokens(0, 32)))) {
        assertThat(lease.decode().worker()).isEqualTo(worker(12));
        assertThat(lease.decode().selection().cachedTokens()).isEqualTo(24);
        assertThat(Objects.requireNonNull(lease.prefill()).worker()).isEqualTo(worker(2));
        assertThat(Objects.requireNonNull(lease.prefill()).selection().cachedTokens())
            .isEqualTo(12);
      }
    }
  }

  @Test
  void shouldAskNoDecodeIndexWhereItsCreditIsZero() {
    decodes.indexer.hold(worker(12), 6);
    KvRouter blind =
        decodes.builder().config(KvRouterConfig.builder().overlapScoreCredit(0).build()).build();
    DisaggregatedRouter upstream =
        DisaggregatedRouter.builder().prefill(prefill).decode(blind).build();

    for (int i = 0; i < 4; i++) {
      upstream.trySelect(request("r" + i, tokens(0, 32)));
    }

    assertThat(decodes.indexer.lookups()).isZero();
    assertThat(blind.load(worker(11)).requests()).isEqualTo(2);
    assertThat(blind.load(worker(12)).requests()).isEqualTo(2);
  }

  @Test
  void shouldShareNoBlocksOnTheDecodeSide() {
    SchedulingRequest.Builder prompt =
        SchedulingRequest.builder("a", tokens(0, 32))
            .routing(RoutingHints.builder().pinnedWorker(worker(11)).build());
    router.trySelect(prompt.build());
    router.trySelect(prompt.attempt(1).build());

    assertThat(decode.load(worker(11)).blocks()).isEqualTo(16);
  }

  @Test
  void shouldLeaveThePromptToTheDecodeWorkerWhenNobodyIsInThePrefillPool() {
    prefills.directory.unregister(1);
    prefills.directory.unregister(2);

    DisaggregatedLease lease = router.trySelect(request("a", tokens(0, 32)));

    assertThat(lease.route()).isEqualTo(PrefillRoute.NO_PREFILL_WORKER);
    assertThat(lease.prefill()).isNull();
    assertThat(decode.load(lease.decode().worker())).isEqualTo(new WorkerLoad(32, 8, 1));
  }

  @Test
  void shouldLeaveThePromptToTheDecodeWorkerWhenThePrefillPoolIsOverloaded() {
    prefillLoads.thresholds(LoadThresholds.builder().activePrefillTokens(16L).build());
    router.trySelect(request("a", tokens(0, 32)));
    router.trySelect(request("b", tokens(100, 32)));

    DisaggregatedLease lease = router.trySelect(request("c", tokens(200, 32)));

    assertThat(lease.route()).isEqualTo(PrefillRoute.PREFILL_OVERLOADED);
    assertThat(prefill.bookingCount()).isEqualTo(2);
    assertThat(decode.bookingCount()).isEqualTo(3);
  }

  @Test
  void shouldNotGiveUpAPrefillWorkerThatTheRequestNames() {
    RoutingHints gone = RoutingHints.builder().pinnedWorker(worker(7)).build();

    assertThatThrownBy(() -> router.trySelect(request("a", tokens(0, 32)), gone))
        .isInstanceOf(NoEligibleWorkerException.class);
    assertThat(decode.bookingCount()).isZero();
  }

  @Test
  void shouldApplyPinsToTheirOwnPool() {
    RoutingHints decodePin = RoutingHints.builder().pinnedWorker(worker(12)).build();
    RoutingHints prefillPin = RoutingHints.builder().pinnedWorkerId(2).build();
    SchedulingRequest request =
        SchedulingRequest.builder("a", tokens(0, 32)).routing(decodePin).build();

    DisaggregatedLease lease = router.trySelect(request, prefillPin);

    assertThat(Objects.requireNonNull(lease.prefill()).worker()).isEqualTo(worker(2));
    assertThat(lease.decode().worker()).isEqualTo(worker(12));
    assertThat(router.trySelect(next(request)).route()).isEqualTo(PrefillRoute.REMOTE);
  }

  private static SchedulingRequest next(SchedulingRequest request) {
    return request.toBuilder().attempt(request.key().attempt() + 1).build();
  }

  @Test
  void shouldKeepWishesThatConcernBothPools() {
    RoutingHints wishes =
        RoutingHints.builder()
            .pinnedWorker(worker(12))
            .allowedWorkerIds(1, 12)
            .loraName("lora")
            .cacheNamespace("salt")
            .expectedOutputTokens(9)
            .priorityJumpSeconds(2)
            .strictPriority(3)
            .policyClass("class")
            .constraints(RoutingConstraints.builder().requireTaint("gpu").build())
            .build();

    RoutingHints kept = DisaggregatedRouter.prefillRouting(wishes);

    assertThat(kept).usingRecursiveComparison().ignoringFields("pinnedWorker").isEqualTo(wishes);
    assertThat(kept.isPinned()).isFalse();
    assertThat(DisaggregatedRouter.prefillRouting(kept)).isSameAs(kept);
  }

  @Test
  void shouldBookNothingWhenNobodyIsInTheDecodePool() {
    decodes.directory.unregister(11);
    decodes.directory.unregister(12);

    assertThatThrownBy(() -> router.trySelect(request("a", tokens(0, 32))))
        .isInstanceOf(NoEligibleWorkerException.class);
    assertThat(prefill.bookingCount()).isZero();
  }

  @Test
  void shouldBookNothingWhenEitherSideKnowsTheRequest() {
    SchedulingRequest request = request("a", tokens(0, 32));
    RequestLease decoded = decode.trySelect(request);
    assertDuplicate(request);
    assertThat(prefill.bookingCount()).isZero();
    decoded.close();

    RequestLease computed = prefill.trySelect(request);
    assertDuplicate(request);
    assertThat(decode.bookingCount()).isZero();
    computed.close();
  }

  private void assertDuplicate(SchedulingRequest request) {
    assertThatThrownBy(() -> router.trySelect(request))
        .isInstanceOfSatisfying(
            DynamoException.class,
            failure -> assertThat(failure.errorType()).isEqualTo(ErrorType.DUPLICATE_REQUEST));
  }

  @Test
  void shouldAvoidWorkersThatFailedTheRequestInBothPools() {
    SchedulingRequest retry =
        SchedulingRequest.builder("a", tokens(0, 32))
            .attempt(1)
            .excludedWorkers(Set.of(worker(1), worker(12)))
            .build();

    DisaggregatedLease lease = router.trySelect(retry);

    assertThat(Objects.requireNonNull(lease.prefill()).worker()).isEqualTo(worker(2));
    assertThat(lease.decode().worker()).isEqualTo(worker(11));
  }

  @Test
  void shouldHandOverWithinADomainWhereThatIsRequired() {
    DisaggregatedRouter racks =
        DisaggregatedRouter.builder()
            .prefill(prefill)
            .decode(decode)
            .requireSameDomain("rack")
            .build();

    for (int i = 0; i < 6; i++) {
      DisaggregatedLease lease = racks.trySelect(request("r" + i, tokens(100 * i, 32)));
      long rack = Objects.requireNonNull(lease.prefill()).worker().workerId();
      assertThat(lease.decode().worker().workerId()).isEqualTo(10 + rack);
    }
  }

  @Test
  void shouldPreferADomainAsFarAsLoadAllows() {
    DisaggregatedRouter racks =
        DisaggregatedRouter.builder()
            .prefill(prefill)
            .decode(decode)
            .preferSameDomain("rack", 1)
            .build();
    RoutingHints first = RoutingHints.builder().pinnedWorkerId(1).build();
    decode.trySelect(request("busy", tokens(0, 4)));
    decode.trySelect(request("busy too", tokens(0, 4)));

    assertThat(racks.trySelect(request("a", tokens(0, 32)), first).decode().worker())
        .isEqualTo(worker(11));
    for (int i = 0; i < 8; i++) {
      racks.trySelect(request("r" + i, tokens(0, 64)), first);
    }
    assertThat(decode.load(worker(12)).requests()).isGreaterThan(1);
  }

  @Test
  void shouldComputeShortPromptsOnTheDecodeWorkerWhereAsked() {
    DisaggregatedRouter conditional =
        router(PrefillBypass.builder().newTokensBelow(32).newShareBelow(0.5).build());
    assertThat(conditional.trySelect(request("new", tokens(0, 32))).route())
        .isEqualTo(PrefillRoute.REMOTE);

    decodes.indexer.hold(worker(11), 5);
    decodes.indexer.hold(worker(12), 5);
    DisaggregatedLease known = conditional.trySelect(request("known", tokens(0, 32)));

    assertThat(known.route()).isEqualTo(PrefillRoute.BYPASSED);
    assertThat(decode.load(known.decode().worker()).prefillTokens()).isEqualTo(12);
  }

  @Test
  void shouldComputePromptsOnTheDecodeWorkerWhilePrefillWorkersAreBusy() {
    DisaggregatedRouter conditional =
        router(
            PrefillBypass.builder()
                .policy(PrefillBypass.Policy.PREFILL_LOAD)
                .prefillBusyAbove(0.5)
                .decodeBusyAbove(0.3)
                .build());
    assertThat(conditional.trySelect(request("a", tokens(0, 36))).route())
        .isEqualTo(PrefillRoute.REMOTE);
    assertThat(conditional.trySelect(request("b", tokens(100, 36))).route())
        .isEqualTo(PrefillRoute.REMOTE);
    assertThat(conditional.trySelect(request("c", tokens(200, 36))).route())
        .isEqualTo(PrefillRoute.BYPASSED);

    decode.trySelect(request("full", tokens(300, 120)));
    decode.trySelect(request("full too", tokens(500, 120)));
    assertThat(conditional.trySelect(request("d", tokens(600, 36))).route())
        .isEqualTo(PrefillRoute.REMOTE);
  }

  @Test
  void shouldRefuseToBeBuiltWithoutTwoRouters() {
    DisaggregatedRouter.Builder builder = DisaggregatedRouter.builder().prefill(prefill);

    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("decode=missing");
    assertThatThrownBy(() -> builder.decode(prefill).build())
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.requireSameDomain(""))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.preferSameDomain("rack", 2))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
