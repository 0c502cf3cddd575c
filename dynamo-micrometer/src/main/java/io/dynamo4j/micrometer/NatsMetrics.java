// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.micrometer;

import io.dynamo4j.transport.nats.NatsEventCounter;
import io.dynamo4j.transport.nats.NatsEventPlane;
import io.dynamo4j.transport.nats.NatsRequestPlane;
import io.dynamo4j.transport.nats.NatsState;
import io.dynamo4j.transport.nats.NatsTransport;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;

/**
 * NATS connections and planes as meters, read when the registry is, which holds them weakly. Needs
 * {@code dynamo-transport-nats} on the class path.
 *
 * <p><b>Threads.</b> Any.
 */
public final class NatsMetrics {

  private NatsMetrics() {}

  /** Shows a connection: its state, failed attempts since the last success, losses. */
  public static void bind(MeterRegistry registry, NatsTransport transport, Tag... tags) {
    Meters<NatsTransport> meters = Meters.of(registry, "dynamo4j.nats.", transport, Tags.of(tags));
    for (NatsState state : NatsState.values()) {
      meters
          .and("state", Meters.label(state))
          .gauge("state", t -> t.status().state() == state ? 1 : 0);
    }
    meters
        .gauge("failed.attempts", t -> t.status().failedAttempts())
        .count("disconnects", t -> t.status().disconnects());
  }

  /** Shows an event plane: topics, what waits, and every counter of it. */
  public static void bind(MeterRegistry registry, NatsEventPlane plane, Tag... tags) {
    Meters<NatsEventPlane> meters =
        Meters.of(registry, "dynamo4j.nats.plane.", plane, Tags.of(tags));
    for (NatsEventCounter counter : NatsEventCounter.values()) {
      meters.count(Meters.dotted(counter), p -> p.status().count(counter));
    }
    meters
        .gauge("topics", p -> p.status().topics())
        .gauge("pending.envelopes", p -> p.status().pendingEnvelopes());
  }

  /** Shows requests over NATS that are open. */
  public static void bind(MeterRegistry registry, NatsRequestPlane<?, ?> plane, Tag... tags) {
    Meters.<NatsRequestPlane<?, ?>>of(registry, "dynamo4j.nats.requests.", plane, Tags.of(tags))
        .gauge("open", NatsRequestPlane::openRequestCount);
  }
}
