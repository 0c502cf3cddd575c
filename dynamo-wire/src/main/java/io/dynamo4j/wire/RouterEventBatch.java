// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.core.model.RouterEvent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What one {@code kv-events} payload says: usable events in order, the others counted. */
public final class RouterEventBatch {
  private static final int NONE = -1;

  /** Why one event of a readable payload cannot be used. */
  public enum Reject {
    /** A required field is missing, or one has the wrong type or range. */
    MALFORMED,
    /** A variant of event data that this version does not know. */
    UNKNOWN_KIND,
    /** A storage tier that this version does not know. */
    UNKNOWN_TIER,
    /** A residency domain that is null, no string, or unknown. */
    UNSUPPORTED_RESIDENCY_DOMAIN,
    /** Blocks that belong to a cache owner and not to a rank. */
    CACHE_OWNER,
    /** A declared length is beyond {@link WireLimits}. */
    TOO_LARGE,
    /** Nested deeper than {@link WireLimits#MAX_DEPTH}. */
    TOO_DEEP
  }

  private final List<RouterEvent> events;
  private final Map<Reject, Integer> rejects;
  private final int rejected;
  private final int firstRejected;

  RouterEventBatch(List<RouterEvent> events, Map<Reject, Integer> rejects, int firstRejected) {
    this.events = Collections.unmodifiableList(events);
    this.rejects = rejects;
    this.rejected = rejects.isEmpty() ? 0 : sum(rejects);
    this.firstRejected = firstRejected;
  }

  private static int sum(Map<Reject, Integer> rejects) {
    return rejects.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** Returns a batch of events that are all usable. */
  public static RouterEventBatch of(List<RouterEvent> events) {
    return new RouterEventBatch(List.copyOf(events), Map.of(), NONE);
  }

  /** Returns one batch of all events, in order, and of all that were refused. */
  public static RouterEventBatch join(List<RouterEventBatch> parts) {
    List<RouterEvent> events = new ArrayList<>();
    Map<Reject, Integer> rejects = new EnumMap<>(Reject.class);
    int firstRejected = NONE;
    for (RouterEventBatch part : parts) {
      if (firstRejected == NONE && part.firstRejected != NONE) {
        firstRejected = events.size() + part.firstRejected;
      }
      events.addAll(part.events);
      part.rejects.forEach((reason, count) -> rejects.merge(reason, count, Integer::sum));
    }
    return new RouterEventBatch(events, rejects, firstRejected);
  }

  /** Returns the usable events in payload order; unmodifiable. */
  public List<RouterEvent> events() {
    return events;
  }

  /** Returns how many events were refused for this reason. */
  public int rejected(Reject reason) {
    return rejects.getOrDefault(reason, 0);
  }

  /** Returns which event of the payload is the first that was refused, negative if none was. */
  public int firstRejected() {
    return firstRejected;
  }

  /** Returns how many events were refused. */
  public int rejected() {
    return rejected;
  }
}
