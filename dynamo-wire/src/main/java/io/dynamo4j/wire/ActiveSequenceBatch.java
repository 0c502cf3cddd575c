// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import java.util.Collections;
import java.util.List;

/** What one message of active sequences says: usable events in order, the others counted. */
public final class ActiveSequenceBatch {
  private final List<ActiveSequenceEvent> events;
  private final int rejected;

  ActiveSequenceBatch(List<ActiveSequenceEvent> events, int rejected) {
    this.events = Collections.unmodifiableList(events);
    this.rejected = rejected;
  }

  /** Returns the usable events in payload order; unmodifiable. */
  public List<ActiveSequenceEvent> events() {
    return events;
  }

  /** Returns how many events of the message cannot be used. */
  public int rejected() {
    return rejected;
  }
}
