// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.kvrouter.BusyThresholdHandler.Reply;
import java.nio.charset.StandardCharsets;
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
    byte[] large = new byte[BusyThresholdHandler.MAX_BODY_BYTES + 1];
    assertThat(handler.handle("POST", "application/json; charset=utf-8", large).status())
        .isEqualTo(413);
  }
}
