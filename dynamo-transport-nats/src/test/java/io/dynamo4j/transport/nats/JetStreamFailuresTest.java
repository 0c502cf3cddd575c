// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.DurableLogException.Reason;
import io.nats.client.JetStreamApiException;
import io.nats.client.api.PurgeResponse;
import io.nats.client.impl.NatsMessage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JetStreamFailuresTest {

  /** As nats-server 2.9 answers; the first, while the stream is still being made for another. */
  @ParameterizedTest
  @CsvSource({
    "10012, invalid stream, UNREACHABLE",
    "10012, consumer store could not be made, FAILED",
    "10096, stream not valid, UNREACHABLE",
    "10059, stream not found, UNREACHABLE",
    "10014, consumer not found, CONSUMER_GONE",
    "10047, insufficient storage resources available, FULL",
    "10039, JetStream not enabled for account, DISABLED",
    "10058, stream name already in use, OTHER_CONFIGURATION",
    "10999, anything else, FAILED"
  })
  void shouldSayWhatARefusalMeans(int code, String description, Reason reason) {
    DurableLogException typed = JetStreamFailures.of("reader", refusal(code, description));
    assertThat(typed.reason()).isEqualTo(reason);
    assertThat(typed).hasMessageContaining(description);
  }

  private static JetStreamApiException refusal(int code, String description) {
    String answer =
        "{\"error\":{\"code\":400,\"err_code\":%d,\"description\":\"%s\"}}"
            .formatted(code, description);
    PurgeResponse response =
        new PurgeResponse(
            NatsMessage.builder().subject("answer").data(NatsRun.bytes(answer)).build());
    return catchThrowableOfType(JetStreamApiException.class, response::throwOnHasError);
  }
}
