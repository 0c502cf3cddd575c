// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.source;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.tree.RadixTree;
import io.dynamo4j.indexer.HeldDigest;
import io.dynamo4j.wire.ProofAnswer;
import io.dynamo4j.wire.ProofQuery;
import io.dynamo4j.wire.RecoveryQuery;
import io.dynamo4j.wire.RecoveryResponse;
import io.dynamo4j.wire.RecoveryResponseCodec;
import io.dynamo4j.wire.RouterEventBatch;
import io.dynamo4j.wire.WireLimits;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What one rank of a worker holds and how that came about: a tree for each storage tier, and a ring
 * of recent events. It numbers the rank's events, consecutively from 1, and answers those who
 * missed some, in the shapes of Dynamo 1.6.1:
 *
 * <table>
 * <caption>Answers, the first row that holds</caption>
 * <tr><th>asked for</th><th>answer</th></tr>
 * <tr><td>another worker or rank</td><td>{@code Error}</td></tr>
 * <tr><td>an end before the start</td><td>{@code InvalidRange}</td></tr>
 * <tr><td>no start, or 0, or nothing was recorded yet</td><td>{@code TreeDump}</td></tr>
 * <tr><td>a start after the newest</td><td>{@code TooNew}</td></tr>
 * <tr><td>a start before the ring's oldest</td><td>{@code TreeDump}</td></tr>
 * <tr><td>else</td><td>{@code Events} to the newest whatever the end, or from the last clear</td></tr>
 * </table>
 *
 * <p>A {@code TreeDump} is a snapshot, numbered from 0 for each tier, and then the events since it
 * was taken: routers that ask at one time cost one walk of the tree. A dump beyond what a frame may
 * hold is {@code TreeDumpFailed}, unless the router takes it in parts, as those of this library do.
 *
 * <p><b>Threads.</b> Belongs to one lane.
 */
public final class LocalKvIndexer {
  /** Events kept unless the builder says otherwise. */
  public static final int DEFAULT_RING_EVENTS = 1024;

  /** Blocks of one part of a dump unless the builder says otherwise: some 4 MB. */
  public static final int DEFAULT_PART_BLOCKS = 1 << 16;

  private final WorkerWithDpRank worker;
  private final long seed;
  private final int maxAnswerBytes;
  private final int partBlocks;
  private final RecentEvents recent;
  private final Map<StorageTier, RadixTree> trees = new EnumMap<>(StorageTier.class);

  private @Nullable List<RouterEvent> snapshot;
  private long snapshotId;
  private long refusedEvents;
  private long snapshotsTaken;

  private LocalKvIndexer(Builder builder) {
    this.worker = builder.worker;
    this.seed = builder.seed;
    this.maxAnswerBytes = builder.maxAnswerBytes;
    this.partBlocks = builder.partBlocks;
    this.recent = new RecentEvents(builder.ringEvents);
  }

  /** Starts the record of one rank, empty. */
  public static Builder builder(WorkerWithDpRank worker) {
    return new Builder(worker);
  }

  public WorkerWithDpRank worker() {
    return worker;
  }

  /** Returns the number of the newest event, 0 before the first. */
  public long lastEventId() {
    return recent.lastId();
  }

  /** Returns the (hash, place) pairs that the rank holds, over all tiers. */
  public long blockCount() {
    return trees.values().stream().mapToLong(RadixTree::blockCount).sum();
  }

  /** Returns how many events {@link #record} has refused. */
  public long refusedEvents() {
    return refusedEvents;
  }

  /** Returns how often the trees were walked for a dump. */
  public long snapshotsTaken() {
    return snapshotsTaken;
  }

  /* --------------- Recording --------------- */

  /**
   * Records what happened to the rank's cache and returns it as a numbered event, to be published
   * after those before it. Empty if the rank's own tree refuses it, since every router's would: a
   * store under a block that is not held.
   */
  public Optional<RouterEvent> record(StorageTier tier, KvCacheEventData data) {
    KvCacheEvent numbered = KvCacheEvent.of(recent.lastId() + 1, worker.dpRank(), data);
    RouterEvent event = RouterEvent.of(worker.workerId(), tier, numbered);
    if (data instanceof KvCacheEventData.Cleared) {
      trees.values().forEach(tree -> tree.apply(event));
    } else if (tree(tier).apply(event).isRejected()) {
      refusedEvents++;
      return Optional.empty();
    }
    recent.add(event);
    if (snapshot != null && !isSnapshotUsable()) {
      snapshot = null;
    }
    return Optional.of(event);
  }

  /** Returns the digest of what the rank holds on the device; O(blocks). */
  public HeldDigest digest() {
    HeldDigest digest = HeldDigest.create();
    RadixTree device = trees.get(StorageTier.DEVICE);
    if (device != null) {
      device.forEachHash(worker, digest::add);
    }
    return digest;
  }

  private RadixTree tree(StorageTier tier) {
    return trees.computeIfAbsent(tier, key -> RadixTree.create(seed));
  }

  /* --------------- Answering --------------- */

  /**
   * Answers as {@link #answer(byte[])} does, but everything in parts if the query takes them.
   *
   * @param out is given each item of the answer, in order, as soon as it is made
   * @throws io.dynamo4j.core.model.DynamoException of type {@code BACKEND_PROTOCOL} if the query
   *     cannot be read; peers give no answer then
   */
  public void answer(byte[] query, Consumer<byte[]> out) {
    ProofQuery proof = ProofQuery.tryDecode(query);
    if (proof == null || !proof.worker().equals(worker)) {
      RecoveryQuery read = RecoveryQuery.decode(query);
      if (read.supportsParts() && answer(read) instanceof RecoveryResponse.TreeDump dump) {
        writeParts(read, dump, out);
        return;
      }
    }
    out.accept(answer(query));
  }

  private void writeParts(
      RecoveryQuery query, RecoveryResponse.TreeDump dump, Consumer<byte[]> out) {
    List<List<RouterEvent>> parts = parts(dump.events().events());
    for (int i = 0; i < parts.size(); i++) {
      RouterEventBatch part = RouterEventBatch.of(parts.get(i));
      byte[] item =
          RecoveryResponseCodec.encode(
              i == 0
                  ? new RecoveryResponse.TreeDump(part, dump.lastEventId(), parts.size())
                  : new RecoveryResponse.Events(part, dump.lastEventId()));
      if (item.length > maxAnswerBytes) {
        out.accept(tooLarge(query, item.length)); // one event is
        return;
      }
      out.accept(item);
    }
  }

  private List<List<RouterEvent>> parts(List<RouterEvent> events) {
    List<List<RouterEvent>> parts = new ArrayList<>();
    int from = 0;
    do {
      int to = from;
      for (long blocks = 0; to < events.size() && blocks < partBlocks; to++) {
        blocks += events.get(to).event().data().blockCount();
      }
      parts.add(events.subList(from, to));
      from = to;
    } while (from < events.size());
    return parts;
  }

  /**
   * Answers a recovery query, or one of this library's own about what is held, by one item; both
   * are MessagePack.
   *
   * @throws io.dynamo4j.core.model.DynamoException of type {@code BACKEND_PROTOCOL} if the query
   *     cannot be read; peers give no answer then
   */
  public byte[] answer(byte[] query) {
    ProofQuery proof = ProofQuery.tryDecode(query);
    if (proof != null && proof.worker().equals(worker)) {
      return prove(proof).encode();
    }
    RecoveryQuery read = RecoveryQuery.decode(query);
    byte[] answer = RecoveryResponseCodec.encode(answer(read));
    return answer.length <= maxAnswerBytes ? answer : tooLarge(read, answer.length);
  }

  private ProofAnswer prove(ProofQuery query) {
    long differing = digest().differing(query.digests());
    ProofBlocks blocks = new ProofBlocks(differing);
    RadixTree device = trees.get(StorageTier.DEVICE);
    if (device != null && differing != 0) {
      device.dumpWhole(blocks::accept);
    }
    return ProofAnswer.of(recent.lastId(), differing, blocks.numbers());
  }

  private byte[] tooLarge(RecoveryQuery query, int bytes) {
    String why = "answer is too large: bytes=" + bytes + ", limit=" + maxAnswerBytes;
    return RecoveryResponseCodec.encode(
        query.supportsTreeDumpFailed()
            ? new RecoveryResponse.TreeDumpFailed(recent.lastId(), why)
            : new RecoveryResponse.Failed("worker tree dump failed: " + why));
  }

  private RecoveryResponse answer(RecoveryQuery query) {
    if (!query.worker().equals(worker)) {
      return new RecoveryResponse.Failed(
          "another rank was asked for: asked=" + query.worker() + ", this=" + worker);
    }
    OptionalLong start = query.startEventId();
    OptionalLong end = query.endEventId();
    long last = recent.lastId();
    if (start.isPresent()
        && end.isPresent()
        && Long.compareUnsigned(end.getAsLong(), start.getAsLong()) < 0) {
      return new RecoveryResponse.InvalidRange(start.getAsLong(), end.getAsLong());
    }
    if (start.isEmpty() || start.getAsLong() == 0 || last == 0) {
      return dump();
    }
    long from = start.getAsLong();
    if (Long.compareUnsigned(from, last) > 0) {
      return new RecoveryResponse.TooNew(
          start, end.isPresent() ? end : OptionalLong.of(last), last);
    }
    return from < recent.firstId()
        ? dump()
        : new RecoveryResponse.Events(RouterEventBatch.of(recent.neededSince(from)), last);
  }

  private RecoveryResponse dump() {
    List<RouterEvent> events = new ArrayList<>(currentSnapshot());
    events.addAll(recent.since(snapshotId + 1));
    return new RecoveryResponse.TreeDump(RouterEventBatch.of(events), recent.lastId());
  }

  private List<RouterEvent> currentSnapshot() {
    List<RouterEvent> kept = snapshot;
    if (kept != null) {
      return kept;
    }
    List<RouterEvent> taken = new ArrayList<>();
    trees.forEach(
        (tier, tree) ->
            tree.dumpWhole(
                event -> taken.add(RouterEvent.of(event.workerId(), tier, event.event()))));
    snapshotsTaken++;
    snapshot = taken;
    snapshotId = recent.lastId();
    return taken;
  }

  private boolean isSnapshotUsable() {
    return recent.lastId() - snapshotId <= recent.capacity() / 2
        && !recent.hasClearAfter(snapshotId);
  }

  /** Builds a {@link LocalKvIndexer}. */
  public static final class Builder {
    private final WorkerWithDpRank worker;
    private int ringEvents = DEFAULT_RING_EVENTS;
    private int maxAnswerBytes = WireLimits.MAX_FRAME_BYTES;
    private int partBlocks = DEFAULT_PART_BLOCKS;
    private long seed;

    private Builder(WorkerWithDpRank worker) {
      this.worker = Objects.requireNonNull(worker, "worker");
    }

    /**
     * Sets how many events are kept; who misses more is sent everything.
     *
     * @throws IllegalArgumentException if not positive
     */
    public Builder ringEvents(int events) {
      if (events < 1) {
        throw new IllegalArgumentException("ring must hold events: ringEvents=" + events);
      }
      this.ringEvents = events;
      return this;
    }

    /**
     * Sets how large an answer may be; 64 MiB unless set, the most that routers read.
     *
     * @throws IllegalArgumentException if not positive
     */
    public Builder maxAnswerBytes(int bytes) {
      if (bytes < 1) {
        throw new IllegalArgumentException("answers must have room: maxAnswerBytes=" + bytes);
      }
      this.maxAnswerBytes = bytes;
      return this;
    }

    /**
     * Sets after how many blocks a part of a dump ends; {@link #DEFAULT_PART_BLOCKS} unless set.
     *
     * @throws IllegalArgumentException if not positive
     */
    public Builder partBlocks(int blocks) {
      if (blocks < 1) {
        throw new IllegalArgumentException("parts must have room: partBlocks=" + blocks);
      }
      this.partBlocks = blocks;
      return this;
    }

    /** Sets what mixes the hashes in tables; draw it from the component's chance. */
    public Builder seed(long seed) {
      this.seed = seed;
      return this;
    }

    public LocalKvIndexer build() {
      return new LocalKvIndexer(this);
    }
  }
}
