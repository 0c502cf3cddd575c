// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One rank of an engine as its source sees it at one moment. */
public final class EngineRankStatus {
  private final int dpRank;
  private final String endpoint;
  private final EngineSourceState state;
  private final boolean isReplaying;
  private final boolean isReplayDeaf;
  private final @Nullable String problem;
  private final Map<EngineSourceCounter, Long> counts;

  EngineRankStatus(
      int dpRank,
      String endpoint,
      EngineSourceState state,
      boolean isReplaying,
      boolean isReplayDeaf,
      @Nullable String problem,
      Map<EngineSourceCounter, Long> counts) {
    this.dpRank = dpRank;
    this.endpoint = endpoint;
    this.state = state;
    this.isReplaying = isReplaying;
    this.isReplayDeaf = isReplayDeaf;
    this.problem = problem;
    this.counts = counts;
  }

  public int dpRank() {
    return dpRank;
  }

  /** Returns the address that is dialled or bound. */
  public String endpoint() {
    return endpoint;
  }

  public EngineSourceState state() {
    return state;
  }

  /** Returns whether past batches are being asked for, so that new ones wait. */
  public boolean isReplaying() {
    return isReplaying;
  }

  /** Returns whether the socket for past batches was asked in vain on this connection. */
  public boolean isReplayDeaf() {
    return isReplayDeaf;
  }

  /** Returns what is wrong with the address, null if nothing is known to be. */
  public @Nullable String problem() {
    return problem;
  }

  public long count(EngineSourceCounter counter) {
    return counts.getOrDefault(counter, 0L);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("EngineRankStatus[dpRank=").append(dpRank);
    text.append(", endpoint=").append(endpoint).append(", state=").append(state);
    if (isReplayDeaf) {
      text.append(", replay=deaf");
    } else if (isReplaying) {
      text.append(", replay=running");
    }
    if (problem != null) {
      text.append(", problem=").append(problem);
    }
    counts.forEach(
        (counter, count) -> {
          if (count > 0) {
            text.append(", ").append(counter).append('=').append(count);
          }
        });
    return text.append(']').toString();
  }
}
