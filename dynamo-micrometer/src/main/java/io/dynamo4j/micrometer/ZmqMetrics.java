// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.micrometer;

import io.dynamo4j.transport.zmq.EngineRankStatus;
import io.dynamo4j.transport.zmq.EngineSourceCounter;
import io.dynamo4j.transport.zmq.EngineSourceState;
import io.dynamo4j.transport.zmq.EventPlaneCounter;
import io.dynamo4j.transport.zmq.EventPlaneStatus;
import io.dynamo4j.transport.zmq.ZmqEngineEventSource;
import io.dynamo4j.transport.zmq.ZmqEventPlane;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.util.function.ToDoubleFunction;

/**
 * ZeroMQ planes and engine sources as meters, read when the registry is, which holds them weakly.
 * Needs {@code dynamo-transport-zmq} on the class path.
 *
 * <p><b>Threads.</b> Any.
 */
public final class ZmqMetrics {
  private static final String DYNAMO = "dynamo.component.router.";

  private ZmqMetrics() {}

  /** Shows an event plane: connections, and every counter of it. */
  public static void bind(MeterRegistry registry, ZmqEventPlane plane, Tag... tags) {
    Meters<ZmqEventPlane> meters = Meters.of(registry, "dynamo4j.zmq.plane.", plane, Tags.of(tags));
    for (EventPlaneCounter counter : EventPlaneCounter.values()) {
      meters.count(Meters.dotted(counter), count(counter));
    }
    meters
        .gauge("wanted.publishers", p -> p.status().wantedPublishers())
        .gauge("connected.publishers", p -> p.status().connectedPublishers());
  }

  /**
   * Shows a plane that brings KV events under Dynamo's names for that. Figures are of all topics of
   * the plane.
   */
  public static void bindKvEvents(MeterRegistry registry, ZmqEventPlane plane, Tag... tags) {
    Meters<ZmqEventPlane> meters =
        Meters.of(registry, DYNAMO + "kv.zmq.ingress.", plane, Tags.of(tags));
    meters.and("state", "active").gauge("sources", p -> p.status().connectedPublishers());
    meters.and("state", "connecting").gauge("sources", p -> waiting(p.status()));
    meters.count("batches", count(EventPlaneCounter.RECEIVED));
    meters.and("action", "restarted").count("lifecycle", count(EventPlaneCounter.RESTARTS));
    meters.and("action", "failed").count("lifecycle", count(EventPlaneCounter.FAILED_ADDRESSES));
    meters.and("action", "refused").count("lifecycle", count(EventPlaneCounter.REFUSED_ADDRESSES));
  }

  /**
   * Shows a plane on which routers share their bookings under Dynamo's names for that. Figures are
   * of all topics of the plane.
   */
  public static void bindActiveSequences(MeterRegistry registry, ZmqEventPlane plane, Tag... tags) {
    Meters.of(registry, DYNAMO + "active.sequence.zmq.ingress.", plane, Tags.of(tags))
        .gauge("sources", p -> p.status().connectedPublishers())
        .count("sequence.gaps", count(EventPlaneCounter.MISSED))
        .count("out.of.order", count(EventPlaneCounter.REPEATED))
        .count("replacements", count(EventPlaneCounter.RESTARTS))
        .count("envelope.decode.errors", count(EventPlaneCounter.UNREADABLE))
        .count("identity.errors", count(EventPlaneCounter.WRONG_PUBLISHER));
  }

  /** Shows an engine's own events: every counter by rank, and how many ranks are in which state. */
  public static void bind(MeterRegistry registry, ZmqEngineEventSource source, Tag... tags) {
    Meters<ZmqEngineEventSource> meters =
        Meters.of(registry, "dynamo4j.zmq.engine.", source, Tags.of(tags));
    int place = 0;
    for (EngineRankStatus rank : source.status().ranks()) {
      int at = place++;
      Meters<ZmqEngineEventSource> ofRank = meters.and("dp_rank", Integer.toString(rank.dpRank()));
      for (EngineSourceCounter counter : EngineSourceCounter.values()) {
        ofRank.count(Meters.dotted(counter), s -> s.status().ranks().get(at).count(counter));
      }
    }
    for (EngineSourceState state : EngineSourceState.values()) {
      meters
          .and("state", Meters.label(state))
          .gauge("ranks", s -> s.status().ranks().stream().filter(r -> r.state() == state).count());
    }
    meters.under("dynamo.component.kv.publisher.").count("engines.dropped.events", s -> lost(s));
  }

  private static double lost(ZmqEngineEventSource source) {
    return source.status().ranks().stream()
        .mapToLong(rank -> rank.count(EngineSourceCounter.LOST_BATCHES))
        .sum();
  }

  private static int waiting(EventPlaneStatus status) {
    return Math.max(0, status.wantedPublishers() - status.connectedPublishers());
  }

  private static ToDoubleFunction<ZmqEventPlane> count(EventPlaneCounter counter) {
    return plane -> plane.status().count(counter);
  }
}
