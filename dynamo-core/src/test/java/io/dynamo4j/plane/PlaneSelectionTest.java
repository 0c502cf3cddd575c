// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlaneSelectionTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          # DYN_EVENT_PLANE | DYN_REQUEST_PLANE | DYN_ROUTER_DURABLE_KV_EVENTS | the line
          -                 | -                 | -     | events=zmq (default), requests=tcp (default)
          ''                | '  '              | ''    | events=zmq (default), requests=tcp (default)
          zmq               | tcp               | -     | events=zmq (DYN_EVENT_PLANE), requests=tcp (DYN_REQUEST_PLANE)
          nats              | -                 | -     | events=nats (DYN_EVENT_PLANE), requests=tcp (default)
          -                 | nats              | -     | events=zmq (default), requests=nats (DYN_REQUEST_PLANE)
          nats              | nats              | -     | events=nats (DYN_EVENT_PLANE), requests=nats (DYN_REQUEST_PLANE)
          ' NATS '          | Tcp               | -     | events=nats (DYN_EVENT_PLANE), requests=tcp (DYN_REQUEST_PLANE)
          -                 | -                 | false | events=zmq (default), requests=tcp (default)
          zmq               | nats              | 0     | events=zmq (DYN_EVENT_PLANE), requests=nats (DYN_REQUEST_PLANE)
          -                 | -                 | true  | events=nats (durable mode by DYN_ROUTER_DURABLE_KV_EVENTS), requests=tcp (default)
          nats              | -                 | true  | events=nats (DYN_EVENT_PLANE), requests=tcp (default)
          zmq               | tcp               | 1     | events=nats (durable mode by DYN_ROUTER_DURABLE_KV_EVENTS instead of zmq (DYN_EVENT_PLANE)), requests=tcp (DYN_REQUEST_PLANE)
          """)
  void shouldChooseByDynamosVariables(String events, String requests, String durable, String line) {
    Map<String, String> environment = new TreeMap<>();
    put(environment, "DYN_EVENT_PLANE", events);
    put(environment, "DYN_REQUEST_PLANE", requests);
    put(environment, "DYN_ROUTER_DURABLE_KV_EVENTS", durable);
    PlaneSelection planes = PlaneSelection.fromEnvironment(environment);
    assertThat(planes).hasToString("planes: " + line);
    assertThat(line).contains("events=" + planes.events() + " (" + planes.eventsReason());
    assertThat(line).contains("requests=" + planes.requests() + " (" + planes.requestsReason());
    assertThat(planes.needsNats()).isEqualTo(line.contains("=nats"));
  }

  @ParameterizedTest
  @CsvSource({
    "DYN_EVENT_PLANE, tcp, 'event plane is not known: DYN_EVENT_PLANE=tcp, known=[zmq, nats]'",
    "DYN_EVENT_PLANE, natz, 'event plane is not known: DYN_EVENT_PLANE=natz, known=[zmq, nats]'",
    "DYN_REQUEST_PLANE, http, 'request plane is not known: DYN_REQUEST_PLANE=http, known=[tcp, nats]'",
    "DYN_ROUTER_DURABLE_KV_EVENTS, maybe, 'environment variable is no truth value:"
        + " name=DYN_ROUTER_DURABLE_KV_EVENTS, value=maybe'",
  })
  void shouldRefuseUnknownValuesByName(String name, String value, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PlaneSelection.fromEnvironment(Map.of(name, value)))
        .withMessage(message);
  }

  @Test
  void shouldPreferWhatTheHostSets() {
    PlaneSelection planes =
        PlaneSelection.builder()
            .fromEnvironment(Map.of("DYN_EVENT_PLANE", "zmq", "DYN_REQUEST_PLANE", "nats"))
            .events("nats", "--event-plane")
            .build();
    assertThat(planes)
        .hasToString("planes: events=nats (--event-plane), requests=nats (DYN_REQUEST_PLANE)");
    assertThat(planes.isDurable()).isFalse();
  }

  @Test
  void shouldReadTheOlderNameOfTheDurableModeWhereTheNewerIsUnset() {
    Map<String, String> both =
        Map.of("DYN_DURABLE_KV_EVENTS", "true", "DYN_ROUTER_DURABLE_KV_EVENTS", "false");
    assertThat(PlaneSelection.fromEnvironment(both).isDurable()).isFalse();
    PlaneSelection older = PlaneSelection.fromEnvironment(Map.of("DYN_DURABLE_KV_EVENTS", "on"));
    assertThat(older.isDurable()).isTrue();
    assertThat(older.eventsReason()).isEqualTo("durable mode by DYN_DURABLE_KV_EVENTS");
  }

  @Test
  void shouldDefaultToTheNewestDynamo() {
    PlaneSelection planes = PlaneSelection.ofDefaults();
    assertThat(planes.events()).isEqualTo(PlaneSelection.ZMQ);
    assertThat(planes.requests()).isEqualTo(PlaneSelection.TCP);
    assertThat(planes.needsNats()).isFalse();
  }

  private static void put(Map<String, String> environment, String name, String value) {
    if (value != null) {
      environment.put(name, value);
    }
  }
}
