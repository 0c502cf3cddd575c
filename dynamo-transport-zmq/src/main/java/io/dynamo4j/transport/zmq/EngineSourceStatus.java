// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** An engine as its source sees it at one moment. */
public final class EngineSourceStatus {
  private final EngineSourceState state;
  private final @Nullable String disabledBecause;
  private final List<EngineRankStatus> ranks;

  EngineSourceStatus(
      EngineSourceState state, @Nullable String disabledBecause, List<EngineRankStatus> ranks) {
    this.state = state;
    this.disabledBecause = disabledBecause;
    this.ranks = ranks;
  }

  /** Returns the state of the rank that is worst off. */
  public EngineSourceState state() {
    return state;
  }

  /** Returns why the engine publishes nothing, null if it does. */
  public @Nullable String disabledBecause() {
    return disabledBecause;
  }

  /** Returns each rank, by number; none if the engine publishes nothing. */
  public List<EngineRankStatus> ranks() {
    return ranks;
  }

  @Override
  public String toString() {
    return "EngineSourceStatus[state="
        + state
        + (disabledBecause == null ? "" : ", disabledBecause=" + disabledBecause)
        + ", ranks="
        + ranks
        + "]";
  }
}
