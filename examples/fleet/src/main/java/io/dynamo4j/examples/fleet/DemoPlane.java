// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.fleet;

import java.util.Arrays;
import java.util.Locale;

/** What gateway and workers of the demo speak by. */
enum DemoPlane {
  /** Nothing but virtual time. */
  MEMORY,
  /** Events and requests over a NATS server. */
  NATS,
  /** Events over ZeroMQ, requests over TCP. */
  ZMQ;

  String optionName() {
    return name().toLowerCase(Locale.ROOT);
  }

  static DemoPlane byName(String optionName) {
    return Arrays.stream(values())
        .filter(plane -> plane.optionName().equals(optionName))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "unknown plane: plane=" + optionName + ", known=memory,nats,zmq"));
  }
}
