// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.testkit.script.WorkerScript;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A client chooses its request's id, and must not write lines of a host's log by it. */
class LoggedIdsTest {
  private static final String FORGED =
      "r1\n2026-01-01 WARN all workers are gone\u001b[2J" + "x".repeat(100_000);

  private static List<String> warningsOfALostRequest(String requestId) {
    PreprocessedRequest request =
        PreprocessedRequest.builder(requestId, TokenSlice.of(1, 2))
            .samplingOptions(SamplingOptions.builder().n(2).build())
            .build();
    Rig rig =
        Rig.withLimit(3)
            .worker(1, WorkerScript.open().tokens(3).fail(ErrorType.DISCONNECTED))
            .worker(2, WorkerScript.open().answer());
    return RecordedLogs.warningsOf(() -> rig.run(request));
  }

  @Test
  void shouldNameARequestThatCannotBeContinuedByItsId() {
    assertThat(warningsOfALostRequest("request-1"))
        .singleElement()
        .asString()
        .contains("requestId=request-1,");
  }

  @Test
  void shouldLogOneShortLineWhateverTheIdHolds() {
    assertThat(warningsOfALostRequest(FORGED))
        .singleElement()
        .asString()
        .startsWith("request lost its worker and cannot be continued: requestId=r1\\u000a2026")
        .hasSizeLessThan(1_000)
        .doesNotMatch("(?s).*\\p{Cc}.*");
  }
}
