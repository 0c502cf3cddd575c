// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.engine;

import io.dynamo4j.core.collect.LongObjectMap;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.wire.EngineBatchReader;
import io.dynamo4j.wire.EngineEvent;
import io.dynamo4j.wire.EngineFault;
import io.dynamo4j.wire.WireFormatException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Turns the messages of one worker's engine into events of routers.
 *
 * <p>Tokens become local block hashes with the adapter, namespace and media of each block; blocks
 * of other sizes, groups, owners and places are left out; a block that the engine holds twice is
 * gone only when both copies are. An event that cannot be used costs itself, never its batch, and
 * is counted by reason in {@link #status}.
 *
 * <p><b>Isolation.</b> Whatever makes the engine tell blocks with equal tokens apart also does so
 * here, or the event is refused: salts wherever they stand, media in keys beside the tokens,
 * adapters by name. A child without a salt has that of its parent.
 *
 * <p><b>Numbers.</b> Events are numbered from 1 without holes; the engine's own sequence is for
 * whom it concerns who receives its messages.
 *
 * <p><b>Cost.</b> O(bytes); 16 bytes a block and a constant number of objects an event.
 *
 * <p><b>Threads.</b> One lane; {@link #status} from any thread.
 */
public final class EngineEventNormalizer {
  private static final int MAX_RANKS = 4096;

  private final EngineEventNormalizerBuilder settings;
  private final EngineBatchReader reader = EngineBatchReader.create();
  private final EngineEventCounters counters = new EngineEventCounters();
  private final PendingEvents pending;
  private final StoreNormalizer stores;
  private LongObjectMap<RankState> ranks;

  EngineEventNormalizer(EngineEventNormalizerBuilder settings) {
    this.settings = settings;
    this.pending = new PendingEvents(settings.workerId);
    this.stores = new StoreNormalizer(settings, counters, pending);
    this.ranks = LongObjectMap.create(settings.seed);
  }

  /**
   * Starts a normalizer of one worker.
   *
   * @param workerId as events name the worker, unsigned
   * @param blockSize tokens a block
   * @throws IllegalArgumentException if {@code blockSize} is not positive
   */
  public static EngineEventNormalizerBuilder builder(long workerId, int blockSize) {
    return new EngineEventNormalizerBuilder(workerId, blockSize);
  }

  /**
   * Returns what one message of the engine says, in order; nothing if it is no batch of events.
   *
   * @param payload the message's last frame; not modified, not kept
   */
  public List<RouterEvent> normalize(byte[] payload) {
    counters.add(EngineEventCounter.MESSAGES, 1);
    try {
      reader.open(payload);
    } catch (WireFormatException e) {
      counters.add(EngineEventCounter.UNREADABLE_MESSAGES, 1);
      return List.of();
    }
    while (reader.next()) {
      EngineFault fault = reader.fault();
      EngineEventReject reject = fault == null ? normalize(reader.event()) : rejectOf(fault);
      if (reject == null) {
        counters.add(EngineEventCounter.ACCEPTED_EVENTS, 1);
      } else {
        counters.reject(reject);
      }
    }
    return pending.take();
  }

  private static EngineEventReject rejectOf(EngineFault fault) {
    return switch (fault) {
      case NOT_AN_EVENT -> EngineEventReject.NOT_AN_EVENT;
      case UNKNOWN_TAG -> EngineEventReject.UNKNOWN_TAG;
      case MISSING_FIELD -> EngineEventReject.MISSING_FIELD;
      case BAD_HASH -> EngineEventReject.BAD_HASH;
      case BAD_TOKENS -> EngineEventReject.BAD_TOKENS;
      case BAD_EXTRA_KEYS -> EngineEventReject.BAD_EXTRA_KEYS;
      case BAD_MEDIA -> EngineEventReject.BAD_MEDIA;
      case BAD_FIELD -> EngineEventReject.BAD_FIELD;
      case TOO_LARGE -> EngineEventReject.TOO_LARGE;
      case TOO_DEEP -> EngineEventReject.TOO_DEEP;
    };
  }

  private @Nullable EngineEventReject normalize(EngineEvent event) {
    if (event.kind() == EngineEvent.Kind.IGNORED) {
      return EngineEventReject.IGNORED_EVENT;
    }
    int dpRank = rankOf(event);
    RankState rank = stateOf(dpRank);
    if (rank == null) {
      return EngineEventReject.UNDECLARED_RANK;
    }
    switch (event.kind()) {
      case STORED -> {
        return store(event, rank, dpRank);
      }
      case REMOVED -> {
        return remove(event, rank, dpRank);
      }
      case CLEARED -> {
        return clear(event, rank, dpRank);
      }
      case WINDOW, IGNORED -> rank.windows.learn(event);
    }
    return null;
  }

  private int rankOf(EngineEvent event) {
    if (event.hasRank()) {
      return event.dpRank();
    }
    return reader.hasRank() ? reader.dpRank() : settings.dpRank;
  }

  private @Nullable RankState stateOf(int dpRank) {
    if (settings.dpSize > 0
        && Integer.compareUnsigned(dpRank - settings.dpStart, settings.dpSize) >= 0) {
      return null;
    }
    RankState rank = ranks.get(Integer.toUnsignedLong(dpRank));
    if (rank == null && ranks.size() < MAX_RANKS) {
      rank = new RankState(settings.seed);
      ranks.put(Integer.toUnsignedLong(dpRank), rank);
    }
    return rank;
  }

  private @Nullable EngineEventReject store(EngineEvent event, RankState rank, int dpRank) {
    rank.groups.learn(event);
    EngineEventReject reject = EngineEventFilter.judgeBlocks(event, rank);
    return reject != null ? reject : stores.store(event, rank.blocks, dpRank);
  }

  private @Nullable EngineEventReject remove(EngineEvent event, RankState rank, int dpRank) {
    EngineEventReject reject = EngineEventFilter.judgeBlocks(event, rank);
    if (reject != null) {
      return reject;
    }
    StorageTier tier = Objects.requireNonNull(EngineMedia.tierOf(event.medium()), "tier");
    int removed = 0;
    for (int i = 0; i < event.hashCount(); i++) {
      long hash = event.hashes()[i];
      if (!rank.blocks.removePartial(hash) && rank.blocks.remove(tier, hash)) {
        pending.addRemoved(dpRank, tier, hash, removed == 0, event.hashCount());
        removed++;
      }
    }
    counters.add(EngineEventCounter.REMOVED_BLOCKS, removed);
    if (removed == 0) {
      return event.hashCount() == 0
          ? EngineEventReject.NO_FULL_BLOCK
          : EngineEventReject.STILL_HELD;
    }
    return null;
  }

  private @Nullable EngineEventReject clear(EngineEvent event, RankState rank, int dpRank) {
    EngineEventReject reject = EngineEventFilter.judgeOwner(event);
    if (reject == null) {
      rank.clear();
      pending.addCleared(dpRank);
    }
    return reject;
  }

  /** Forgets what the engine holds and has said, as after its restart; numbers go on. */
  public void reset() {
    ranks = LongObjectMap.create(settings.seed);
  }

  /** Returns the number of the last event that came out, 0 if there was none. */
  public long lastEventId() {
    return pending.lastEventId();
  }

  public EngineEventStatus status() {
    return counters.status();
  }
}
