// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A host's selector that chooses a candidate, but says odd things of it. */
class OddSelectionsTest {
  private final RouterFixture fixture = new RouterFixture(1);

  @ParameterizedTest
  @CsvSource({
    "-1, 16",
    "-2147483648, 16",
    "0, 16",
    "5, 11",
    "16, 0",
    "17, 0",
    "2147483647, 0",
  })
  void shouldBookNoMoreThanThePromptAndNoLessThanNothing(int cachedTokens, long booked) {
    WorkerSelector odd =
        (asked, candidates, random) ->
            new WorkerSelectionResult(
                worker(1), 1, Double.NaN, cachedTokens, Long.MIN_VALUE, Double.NaN);
    KvRouter router = fixture.builder().selector(odd).build();

    RequestLease lease = router.trySelect(request("r", tokens(0, 16)));

    assertThat(router.load(worker(1)).prefillTokens()).isEqualTo(booked);
    lease.close();
    assertThat(router.load(worker(1))).isEqualTo(WorkerLoad.NONE);
    router.close();
  }
}
