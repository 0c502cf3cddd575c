// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.kvrouter.BusyThresholdHandler.Reply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The bodies of Dynamo's {@code /busy_threshold}. */
class BusyThresholdHandlerTest {
  private static final String UNSET =
      "{\"model\":\"m\",\"active_decode_blocks_threshold\":null,"
          + "\"active_prefill_tokens_threshold\":null,"
          + "\"active_prefill_tokens_threshold_frac\":null}";
  private static final String ALL =
      "{\"model\":\"m\",\"active_decode_blocks_threshold\":0.85,"
          + "\"active_prefill_tokens_threshold\":1000,"
          + "\"active_prefill_tokens_threshold_frac\":0.8}";

  private final BusyThresholdHandler handler = BusyThresholdHandler.create();
  private final LoadMonitor monitor = LoadMonitor.create(() -> 0);

  BusyThresholdHandlerTest() {
    handler.register("m", monitor);
  }

  private Reply post(String body) {
    return handler.handle("POST", "application/json", body.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void shouldSetReadAndList() {
    assertThat(post(ALL)).isEqualTo(new Reply(200, ALL));
    assertThat(post("{\"model\":\"m\"}")).isEqualTo(new Reply(200, ALL));
    assertThat(handler.handle("GET", "", new byte[0]))
        .isEqualTo(new Reply(200, "{\"thresholds\":[" + ALL + "]}"));
    assertThat(monitor.thresholds().activePrefillTokens()).isEqualTo(1000);
  }

  @Test
  void shouldChangeOnlyWhatIsNamedAndTakeAwayWhatIsNull() {
    post(ALL);
    post("{\"model\":\"m\",\"active_prefill_tokens_threshold\":7}");
    assertThat(monitor.thresholds())
        .isEqualTo(
            LoadThresholds.builder()
                .activeDecodeBlocks(0.85)
                .activePrefillTokens(7L)
                .activePrefillTokensFraction(0.8)
                .build());

    post(ALL.replace("0.85", "null").replace("1000", "null").replace("0.8}", "null}"));
    assertThat(monitor.thresholds()).isEqualTo(LoadThresholds.none());
    assertThat(post("{\"model\":\"m\"}").json()).isEqualTo(UNSET);
  }

  @Test
  void shouldAnswerNullsForAModelThatIsUnknownButNotSetIt() {
    assertThat(post("{\"model\":\"x\"}"))
        .isEqualTo(new Reply(200, UNSET.replace("\"m\"", "\"x\"")));
    assertThat(post("{\"model\":\"x\",\"active_decode_blocks_threshold\":0.5}").status())
        .isEqualTo(404);
    handler.unregister("m");
    assertThat(handler.handle("GET", "", new byte[0]).json()).isEqualTo("{\"thresholds\":[]}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "400 | {\"model\":\"m\",\"active_decode_blocks_threshold\":1.5}",
        "400 | {\"model\":\"m\",\"active_prefill_tokens_threshold\":-1}",
        "400 | {\"model\":",
        "422 | {\"model\":3}",
        "422 | {}",
        "422 | []",
        "422 | {\"model\":\"m\",\"active_decode_blocks_threshold\":\"0.5\"}",
        "422 | {\"model\":\"m\",\"active_prefill_tokens_threshold\":0.5}",
        "422 | {\"model\":\"m\",\"nested\":{}}"
      })
  void shouldRefuseABadBodyAndChangeNothing(int status, String body) {
    Reply reply = post(body);

    assertThat(reply.status()).isEqualTo(status);
    assertThat(reply.json()).startsWith("{\"error\":\"");
    assertThat(monitor.thresholds()).isEqualTo(LoadThresholds.none());
  }

  @Test
  void shouldRefuseOtherMethodsTypesAndSizes() {
    assertThat(handler.handle("DELETE", "", new byte[0]).status()).isEqualTo(405);
    assertThat(handler.handle("POST", "text/plain", new byte[0]).status()).isEqualTo(415);
    assertThat(handler.handle("POST", "application/json-patch+json", new byte[0]).status())
        .isEqualTo(415);
    byte[] large = new byte[BusyThresholdHandler.MAX_BODY_BYTES + 1];
    assertThat(handler.handle("POST", "application/json; charset=utf-8", large).status())
        .isEqualTo(413);
  }

  /** Each changes a threshold of its own: what one has set no change of the other takes back. */
  @Test
  void shouldLoseNoChangeWhenTwoChangeDifferentThresholdsAtOnce() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      Future<Integer> tokens =
          threads.submit(
              () -> {
                int lost = 0;
                for (long i = 1; i <= 5_000; i++) {
                  post("{\"model\":\"m\",\"active_prefill_tokens_threshold\":" + i + "}");
                  lost += Objects.equals(monitor.thresholds().activePrefillTokens(), i) ? 0 : 1;
                }
                return lost;
              });
      Future<Integer> blocks =
          threads.submit(
              () -> {
                int lost = 0;
                for (int i = 1; i <= 5_000; i++) {
                  double value = 1.0 / i;
                  post("{\"model\":\"m\",\"active_decode_blocks_threshold\":" + value + "}");
                  lost += Objects.equals(monitor.thresholds().activeDecodeBlocks(), value) ? 0 : 1;
                }
                return lost;
              });
      assertThat(tokens.get(1, TimeUnit.MINUTES)).isZero();
      assertThat(blocks.get(1, TimeUnit.MINUTES)).isZero();
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void shouldLeaveThresholdsAsTheyWereWhenAChangeFails() {
    post(ALL);
    LoadThresholds before = monitor.thresholds();
    assertThatThrownBy(
            () ->
                monitor.changeThresholds(
                    now -> {
                      throw new IllegalArgumentException("no");
                    }))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(monitor.thresholds()).isEqualTo(before);
  }

  /** Whatever begins after the answer is decided by the new threshold, with eight threads on it. */
  @Test
  void shouldHoldForEveryDecisionThatBeginsAfterTheAnswerUnderLoad() throws Exception {
    RouterFixture fixture = new RouterFixture(4);
    KvRouter router = fixture.builder().loadMonitor(monitor).build();
    RequestLease busy = router.trySelect(RouterFixture.request("busy", RouterFixture.tokens(0, 8)));
    AtomicBoolean answered = new AtomicBoolean();
    AtomicInteger wrong = new AtomicInteger();
    AtomicInteger refused = new AtomicInteger();
    AtomicInteger admitted = new AtomicInteger();
    CountDownLatch warm = new CountDownLatch(8);
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<?>> ends = new ArrayList<>();
      for (int thread = 0; thread < 8; thread++) {
        String name = "t" + thread + "-";
        ends.add(
            threads.submit(
                () -> {
                  for (int i = 0, after = 0; after < 100; i++) {
                    boolean isAfter = answered.get();
                    after += isAfter ? 1 : 0;
                    try {
                      RequestLease lease =
                          router.trySelect(
                              RouterFixture.pinned(
                                  name + i, RouterFixture.tokens(100, 8), busy.worker()));
                      admitted.incrementAndGet();
                      wrong.addAndGet(isAfter ? 1 : 0);
                      lease.close();
                    } catch (NoEligibleWorkerException expected) {
                      refused.incrementAndGet();
                    }
                    if (i == 20) {
                      warm.countDown();
                    }
                  }
                }));
      }
      assertThat(warm.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(post("{\"model\":\"m\",\"active_prefill_tokens_threshold\":0}").status())
          .isEqualTo(200);
      answered.set(true);
      for (Future<?> end : ends) {
        end.get(60, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }

    assertThat(wrong).hasValue(0);
    assertThat(refused.get()).isGreaterThanOrEqualTo(800);
    assertThat(admitted).hasPositiveValue();
    post("{\"model\":\"m\",\"active_prefill_tokens_threshold\":null}");
    assertThat(
            router
                .trySelect(
                    RouterFixture.pinned("late", RouterFixture.tokens(100, 8), busy.worker()))
                .worker())
        .isEqualTo(busy.worker());
  }
}
