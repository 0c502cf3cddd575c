// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.core.model.RouterEvent;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** What one {@code kv-events} payload says: usable events in order, the others counted. */
public final class RouterEventBatch {

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

  RouterEventBatch(List<RouterEvent> events, Map<Reject, Integer> rejects) {
    this.events = Collections.unmodifiableList(events);
    this.rejects = rejects;
  }

  /** Returns a batch of events that are all usable. */
  public static RouterEventBatch of(List<RouterEvent> events) {
    return new RouterEventBatch(List.copyOf(events), Map.of());
  }

  /** Returns the usable events in payload order; unmodifiable. */
  public List<RouterEvent> events() {
    return events;
  }

  /** Returns how many events were refused for this reason. */
  public int rejected(Reject reason) {
    return rejects.getOrDefault(reason, 0);
  }

  /** Returns how many events were refused. */
  public int rejected() {
    return rejects.values().stream().mapToInt(Integer::intValue).sum();
  }
}
