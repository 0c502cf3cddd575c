// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.engine;

import io.dynamo4j.core.collect.LongIntMap;
import io.dynamo4j.wire.EngineEvent;
import org.jspecify.annotations.Nullable;

/**
 * Which groups of attention layers of one rank have blocks that follow the prefix. Only such blocks
 * tell how much of a prompt the rank can reuse.
 *
 * <p>A store may name the kind of its group; events without a kind are judged by what was learned
 * of their group. A group of which nothing is known counts if it is the first.
 */
final class AttentionGroups {
  private static final int MAIN = 1;
  private static final int OTHER = 2;
  private static final int MAX_GROUPS = 1024;

  private final LongIntMap learned;

  AttentionGroups(long seed) {
    this.learned = LongIntMap.create(seed);
  }

  /** Learns from a store. */
  void learn(EngineEvent event) {
    String kind = event.attentionKind();
    long group = event.groupIndex();
    if (kind == null || group < 0) {
      return;
    }
    if (learned.get(group) != 0 || learned.size() < MAX_GROUPS) {
      learned.put(group, rejectOf(kind) == null ? MAIN : OTHER);
    }
  }

  /** Returns why the blocks of an event do not count, null if they do. */
  @Nullable EngineEventReject judge(EngineEvent event) {
    String kind = event.attentionKind();
    if (kind != null) {
      return rejectOf(kind);
    }
    long group = event.groupIndex();
    if (group < 0) {
      return null;
    }
    return switch (learned.get(group)) {
      case MAIN -> null;
      case OTHER -> EngineEventReject.NON_MAIN_ATTENTION_GROUP;
      default -> group == 0 ? null : EngineEventReject.UNLEARNED_GROUP_IDX;
    };
  }

  private static @Nullable EngineEventReject rejectOf(String kind) {
    return switch (kind) {
      case "full_attention", "mla_attention", "sink_full_attention" -> null;
      case "sliding_window",
          "sliding_window_mla",
          "mamba",
          "chunked_local_attention",
          "encoder_only_attention",
          "cross_attention" ->
          EngineEventReject.NON_MAIN_ATTENTION_KIND;
      default -> EngineEventReject.UNKNOWN_KIND;
    };
  }
}
