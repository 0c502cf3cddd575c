// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which planes a process uses, by name and with the reason, chosen as Dynamo 1.6.1 chooses: events
 * and requests each on their own. It makes none of them; hosts wire what it names.
 *
 * <p>What the host sets (a flag) wins over the environment, and that over the default: events over
 * {@code zmq}, requests over {@code tcp}. Before 1.4 Dynamo's default was {@code nats} for both;
 * beside such a fleet set both. The durable mode keeps its events in a stream of NATS, so that it
 * takes {@code nats} for events whatever else was asked for, and the reason says so.
 *
 * <pre>{@code
 * PlaneSelection planes = PlaneSelection.fromEnvironment(System.getenv());
 * log.info("{}", planes); // planes: events=zmq (default), requests=nats (DYN_REQUEST_PLANE)
 * }</pre>
 */
public final class PlaneSelection {
  /** Events over ZeroMQ, which is also the plane's {@link Address#transport}. */
  public static final String ZMQ = "zmq";

  /** Events or requests over NATS. */
  public static final String NATS = "nats";

  /** Requests over TCP. */
  public static final String TCP = "tcp";

  /** The variable that names the plane of events. */
  public static final String EVENT_PLANE = "DYN_EVENT_PLANE";

  /** The variable that names the plane of requests. */
  public static final String REQUEST_PLANE = "DYN_REQUEST_PLANE";

  private static final List<String> EVENT_PLANES = List.of(ZMQ, NATS);
  private static final List<String> REQUEST_PLANES = List.of(TCP, NATS);

  /** The newer name first, which wins. */
  private static final List<String> DURABLE =
      List.of("DYN_ROUTER_DURABLE_KV_EVENTS", "DYN_DURABLE_KV_EVENTS");

  private static final String BY_DEFAULT = "default";

  private final Choice events;
  private final Choice requests;
  private final boolean durable;

  private PlaneSelection(Builder builder) {
    this.durable = builder.durable;
    this.requests = builder.requests;
    this.events = builder.durable ? durableEvents(builder) : builder.events;
  }

  private static Choice durableEvents(Builder builder) {
    Choice asked = builder.events;
    if (asked.plane.equals(NATS)) {
      return asked;
    }
    String instead = asked.reason.equals(BY_DEFAULT) ? "" : " instead of " + asked;
    return new Choice(NATS, "durable mode by " + builder.durableReason + instead);
  }

  /** Returns Dynamo's defaults: events over {@code zmq}, requests over {@code tcp}. */
  public static PlaneSelection ofDefaults() {
    return builder().build();
  }

  /**
   * Returns what Dynamo's variables choose; one that is empty or blank counts as unset.
   *
   * @throws IllegalArgumentException if a variable has a value that is none of its own
   */
  public static PlaneSelection fromEnvironment(Map<String, String> environment) {
    return builder().fromEnvironment(environment).build();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Returns {@link #ZMQ} or {@link #NATS}. */
  public String events() {
    return events.plane;
  }

  /** Returns why: {@code default}, the variable's name, who set it, or the durable mode. */
  public String eventsReason() {
    return events.reason;
  }

  /** Returns {@link #TCP} or {@link #NATS}. */
  public String requests() {
    return requests.plane;
  }

  /** Returns why: {@code default}, the variable's name, or who set it. */
  public String requestsReason() {
    return requests.reason;
  }

  /** Returns whether events are to be kept in a stream. */
  public boolean isDurable() {
    return durable;
  }

  /** Returns whether either plane needs a NATS server. */
  public boolean needsNats() {
    return events.plane.equals(NATS) || requests.plane.equals(NATS);
  }

  /** Returns both choices and their reasons in one line, for logs. */
  @Override
  public String toString() {
    return "planes: events=" + events + ", requests=" + requests;
  }

  /** A plane and why it was chosen. */
  private record Choice(String plane, String reason) {
    static Choice of(List<String> known, String what, String value, String reason) {
      String plane = value.strip().toLowerCase(Locale.ROOT);
      if (!known.contains(plane)) {
        throw new IllegalArgumentException(
            what + " is not known: " + reason + "=" + value + ", known=" + known);
      }
      return new Choice(plane, reason);
    }

    @Override
    public String toString() {
      return plane + " (" + reason + ")";
    }
  }

  /** Builds a {@link PlaneSelection}; later calls win over earlier ones. */
  public static final class Builder {
    private Choice events = new Choice(ZMQ, BY_DEFAULT);
    private Choice requests = new Choice(TCP, BY_DEFAULT);
    private boolean durable;
    private String durableReason = BY_DEFAULT;

    private Builder() {}

    /**
     * Takes what Dynamo's variables say, where they say something.
     *
     * @throws IllegalArgumentException if a variable has a value that is none of its own
     */
    public Builder fromEnvironment(Map<String, String> environment) {
      String event = set(environment, EVENT_PLANE);
      if (event != null) {
        events(event, EVENT_PLANE);
      }
      String request = set(environment, REQUEST_PLANE);
      if (request != null) {
        requests(request, REQUEST_PLANE);
      }
      for (String name : DURABLE) {
        String value = set(environment, name);
        if (value != null) {
          return durable(truth(name, value), name);
        }
      }
      return this;
    }

    /**
     * Sets the plane of events.
     *
     * @param plane {@code zmq} or {@code nats}
     * @param reason who says so, such as the flag's name
     * @throws IllegalArgumentException if the plane is not known
     */
    public Builder events(String plane, String reason) {
      this.events = Choice.of(EVENT_PLANES, "event plane", plane, requireReason(reason));
      return this;
    }

    /**
     * Sets the plane of requests.
     *
     * @param plane {@code tcp} or {@code nats}
     * @param reason who says so, such as the flag's name
     * @throws IllegalArgumentException if the plane is not known
     */
    public Builder requests(String plane, String reason) {
      this.requests = Choice.of(REQUEST_PLANES, "request plane", plane, requireReason(reason));
      return this;
    }

    /** Sets whether events are to be kept in a stream, which needs NATS for them. */
    public Builder durable(boolean durable, String reason) {
      this.durable = durable;
      this.durableReason = requireReason(reason);
      return this;
    }

    private static String requireReason(String reason) {
      return Objects.requireNonNull(reason, "reason");
    }

    private static @Nullable String set(Map<String, String> environment, String name) {
      String value = environment.get(name);
      return value == null || value.isBlank() ? null : value;
    }

    private static boolean truth(String name, String value) {
      return switch (value.strip().toLowerCase(Locale.ROOT)) {
        case "1", "true", "yes", "on" -> true;
        case "0", "false", "no", "off" -> false;
        default ->
            throw new IllegalArgumentException(
                "environment variable is no truth value: name=" + name + ", value=" + value);
      };
    }

    public PlaneSelection build() {
      return new PlaneSelection(this);
    }
  }
}
