// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.kvrouter.PrefillBypass.Policy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrefillBypassTest {

  @ParameterizedTest(name = "prompt {0}, cached {1}: {2}")
  @CsvSource({
    "4000, 3000, true",
    "1000, 0, false", // short, but all of it is new
    "1000, 301, true",
    "1000, 300, false", // exactly 70 % new
    "10000, 7953, true",
    "10000, 7952, false", // exactly 2,048 new
    "10000, 0, false",
    "100, 200, true", // more cached than there is
    "0, 0, true"
  })
  void shouldFindAPromptShortByWhatIsNewOfIt(int prompt, int cached, boolean isShort) {
    assertThat(PrefillBypass.builder().build().bypasses(prompt, cached, false, false))
        .isEqualTo(isShort);
    assertThat(PrefillBypass.builder().build().bypasses(prompt, cached, false, true)).isFalse();
  }

  @ParameterizedTest(name = "{0}, busy {1}, cached {2}: {3}")
  @CsvSource({
    "PREFILL_LOAD, true, 0, true",
    "PREFILL_LOAD, false, 0, false",
    "PREFILL_LOAD, false, 4000, false",
    "ISL_OR_LOAD, true, 0, true",
    "ISL_OR_LOAD, false, 0, false",
    "ISL_OR_LOAD, false, 4000, true",
    "ISL_BOUNDING, true, 0, false",
    "ISL_BOUNDING, true, 4000, true"
  })
  void shouldLookAtWhatThePolicyNames(Policy policy, boolean busy, int cached, boolean bypasses) {
    PrefillBypass rule = PrefillBypass.builder().policy(policy).prefillBusyAbove(1).build();

    assertThat(rule.bypasses(4_096, cached, busy, false)).isEqualTo(bypasses);
    assertThat(rule.bypasses(4_096, cached, busy, true)).isFalse();
  }

  @Test
  void shouldFindAPrefillWorkerBusyBeyondItsBatchesOnly() {
    PrefillBypass rule =
        PrefillBypass.builder().policy(Policy.PREFILL_LOAD).prefillBusyAbove(2).build();

    assertThat(rule.isPrefillBusy(200, 100)).isFalse();
    assertThat(rule.isPrefillBusy(201, 100)).isTrue();
    assertThat(rule.isPrefillBusy(1_000, -1)).isFalse();
  }

  @Test
  void shouldFindADecodeWorkerOfUnknownSizeBusyWhereSomebodyLooks() {
    PrefillBypass guarded = PrefillBypass.builder().decodeBusyAbove(0.5).build();

    assertThat(guarded.isDecodeBusy(50, 100)).isFalse();
    assertThat(guarded.isDecodeBusy(51, 100)).isTrue();
    assertThat(guarded.isDecodeBusy(0, -1)).isTrue();
    assertThat(PrefillBypass.builder().build().isDecodeBusy(51, -1)).isFalse();
  }

  @Test
  void shouldNeverBypassUnlessAsked() {
    assertThat(PrefillBypass.never().bypasses(100, 100, true, false)).isFalse();
  }

  @Test
  void shouldRefuseWhatDynamoRefuses() {
    PrefillBypass.Builder builder = PrefillBypass.builder();

    assertThatThrownBy(() -> builder.newShareBelow(1.1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("eff_isl_ratio_threshold");
    assertThatThrownBy(() -> builder.newTokensBelow(-1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.prefillBusyAbove(-1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.decodeBusyAbove(Double.NaN))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.policy(Policy.ISL_OR_LOAD).build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("prefill_busy_threshold");
  }
}
