// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.testing.Mutations;
import io.dynamo4j.kvrouter.BusyThresholdHandler.Reply;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Right texts with a few wrong bytes among them, where operators and callers hand texts in. */
class HostInputFuzzTest {
  private static final int MUTATIONS = Mutations.count(3_000);
  private static final String POLICY =
      """
      default_policy_family: interactive
      uncached_isl_buckets:
        - {min_tokens: 0, bucket: short}
        - {min_tokens: 4096, bucket: long}
      policy_classes:
        - name: interactive-short
          policy_family: interactive
          cache_bucket: short
          quantum: 4096
          prefill_busy_threshold_frac: 1.5
        - name: interactive-long
          policy_family: interactive
          cache_bucket: long
        - name: batch
          prefill_busy_threshold_frac: 0.5
          request_queue_limit_per_worker: 64
      models:
        other-model:
          policy_classes:
            - name: only
      """;

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void shouldReadAPolicyFileOrRefuseItInWords() {
    assertThat(PolicyFile.parse(POLICY)).isNotNull();
    Mutations mutations = Mutations.seeded(1);
    int refused = 0;
    for (int i = 0; i < MUTATIONS; i++) {
      String text = new String(mutations.of(bytes(POLICY), bytes(POLICY)), StandardCharsets.UTF_8);
      try {
        PolicyFile.parse(text);
      } catch (IllegalArgumentException inWords) {
        assertThat(inWords).hasMessageMatching("(?s).{5,}");
        refused++;
      } catch (RuntimeException | Error other) {
        throw new AssertionError(text, other);
      }
    }
    assertThat(refused).isBetween(1, MUTATIONS - 1);
  }

  @Test
  void shouldAnswerEveryBodyAndKeepThresholdsInRange() {
    String body =
        "{\"model\":\"m\",\"active_decode_blocks_threshold\":0.85,"
            + "\"active_prefill_tokens_threshold\":1000,"
            + "\"active_prefill_tokens_threshold_frac\":0.8}";
    BusyThresholdHandler handler = BusyThresholdHandler.create();
    LoadMonitor monitor = LoadMonitor.create(() -> 0);
    handler.register("m", monitor);
    Mutations mutations = Mutations.seeded(2);
    Set<Integer> seen = new TreeSet<>();
    for (int i = 0; i < MUTATIONS; i++) {
      LoadThresholds before = monitor.thresholds();
      byte[] mutated = mutations.of(bytes(body), bytes(body));
      Reply reply = handler.handle("POST", "application/json", mutated);
      seen.add(reply.status());
      if (reply.status() != 200) {
        assertThat(reply.json()).startsWith("{\"error\":\"");
        assertThat(monitor.thresholds()).isEqualTo(before);
      }
      Double blocks = monitor.thresholds().activeDecodeBlocks();
      assertThat(blocks == null || (blocks >= 0 && blocks <= 1)).isTrue();
      Long tokens = monitor.thresholds().activePrefillTokens();
      assertThat(tokens == null || tokens >= 0).isTrue();
    }
    assertThat(seen).contains(200, 400, 422).isSubsetOf(200, 400, 404, 413, 422);
  }
}
