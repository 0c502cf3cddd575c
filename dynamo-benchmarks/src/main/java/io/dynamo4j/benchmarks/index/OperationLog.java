// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import io.dynamo4j.core.hash.SequenceHasher;
import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/**
 * Lookups and cache events made from a trace by rules that any implementation can follow, with a
 * checksum over all of it: two indexes that run the same log do the same work.
 */
public final class OperationLog {
  private final LogShape shape;
  private final List<long[]> queries = new ArrayList<>();
  private final List<RouterEvent> events = new ArrayList<>();
  private final List<WorkerCache> caches = new ArrayList<>();
  private final LogChecksum checksum = new LogChecksum();
  private int eventRequests;
  private int firstHalfEvents;
  private long queryBlocks;
  private long storedBlocks;
  private long removedBlocks;

  private OperationLog(LogShape shape) {
    this.shape = shape;
    for (int i = 0; i < shape.workers(); i++) {
      caches.add(new WorkerCache(shape.capacity()));
    }
  }

  /** Returns the log of rows of hash ids. */
  public static OperationLog of(List<long[]> rows, LogShape shape) {
    OperationLog log = new OperationLog(shape);
    int requests = Math.multiplyExact(rows.size(), shape.copies());
    log.eventRequests = shape.holdOut() == 0 ? requests : requests - requests / shape.holdOut();
    int request = 0;
    for (int row = 0; row < rows.size(); row++) {
      long[] ids = rows.get(row);
      for (int copy = 0; copy < shape.copies(); copy++) {
        log.add(request++, log.worker(row, copy, ids), log.locals(ids, copy));
      }
    }
    return log;
  }

  private int worker(int row, int copy, long[] ids) {
    if (shape.assign() == LogShape.Assign.RR || ids.length == 0) {
      return (row + copy) % shape.workers();
    }
    long key = ids[Math.min(1, ids.length - 1)];
    long mixed = LogChecksum.mix64((long) copy << 48 | key << 8);
    return (int) Long.remainderUnsigned(mixed, shape.workers());
  }

  private long[] locals(long[] ids, int copy) {
    long[] locals = new long[Math.min(ids.length * shape.factor(), shape.capacity())];
    for (int i = 0; i < locals.length; i++) {
      long id = ids[i / shape.factor()];
      locals[i] = LogChecksum.mix64((long) copy << 48 | id << 8 | (i % shape.factor()));
    }
    return locals;
  }

  private void add(int request, int worker, long[] locals) {
    queries.add(locals);
    queryBlocks += locals.length;
    checksum.query(locals);
    if (request < eventRequests) {
      long[] externals = new long[locals.length];
      SequenceHasher.hash(locals, locals.length, externals);
      WorkerCache cache = caches.get(worker);
      int hit = cache.hit(externals);
      addRemoved(worker, cache.take(externals, hit, shape.evict()));
      addStored(worker, hit, externals, locals);
      if (request + 1 == eventRequests / 2) {
        firstHalfEvents = events.size();
      }
    }
  }

  private void addRemoved(int worker, long[] evicted) {
    if (evicted.length == 0) {
      return;
    }
    checksum.removed(worker, evicted);
    removedBlocks += evicted.length;
    addEvent(worker, KvCacheEventData.Removed.of(evicted));
  }

  private void addStored(int worker, int hit, long[] externals, long[] locals) {
    if (hit == externals.length) {
      return;
    }
    long parent = hit == 0 ? 0 : externals[hit - 1];
    checksum.stored(worker, parent, locals, externals, hit);
    storedBlocks += externals.length - hit;
    long[] blocks = Arrays.copyOfRange(externals, hit, externals.length);
    long[] contents = hit == 0 ? locals : Arrays.copyOfRange(locals, hit, locals.length);
    addEvent(
        worker,
        hit == 0
            ? KvCacheEventData.Stored.atRoot(blocks, contents)
            : KvCacheEventData.Stored.under(parent, blocks, contents));
  }

  private void addEvent(int worker, KvCacheEventData data) {
    events.add(RouterEvent.of(worker, StorageTier.DEVICE, KvCacheEvent.of(events.size(), 0, data)));
  }

  public LogShape shape() {
    return shape;
  }

  /** Returns the checksum over every operation in order. */
  public long checksum() {
    return checksum.value();
  }

  /** Returns all cache events in order; unmodifiable. */
  public List<RouterEvent> events() {
    return Collections.unmodifiableList(events);
  }

  /** Returns how many events the first half of the requests with events has. */
  public int firstHalfEvents() {
    return firstHalfEvents;
  }

  /** Returns at most {@code limit} queries of requests that had events, evenly spread. */
  public List<long[]> residentQueries(int limit) {
    return sample(0, eventRequests, limit);
  }

  /** Returns at most {@code limit} queries of requests that were held out, evenly spread. */
  public List<long[]> freshQueries(int limit) {
    return sample(eventRequests, queries.size(), limit);
  }

  private List<long[]> sample(int from, int to, int limit) {
    int step = Math.max(1, (int) (((long) to - from + limit - 1) / limit));
    return Stream.iterate(from, i -> i < to, i -> i + step).map(queries::get).toList();
  }

  public long queryBlocks() {
    return queryBlocks;
  }

  public long storedBlocks() {
    return storedBlocks;
  }

  public long removedBlocks() {
    return removedBlocks;
  }

  /** Returns blocks stored and removed by all events. */
  public long eventBlocks() {
    return storedBlocks + removedBlocks;
  }

  /** Returns the (worker, block) pairs that the caches hold in the end. */
  public long memberships() {
    return caches.stream().mapToLong(WorkerCache::size).sum();
  }

  /** Returns the different blocks that the caches hold in the end. */
  public long uniqueBlocks() {
    long[] all = new long[Math.toIntExact(memberships())];
    int at = 0;
    for (WorkerCache cache : caches) {
      cache.copyTo(all, at);
      at += cache.size();
    }
    Arrays.sort(all);
    long unique = all.length == 0 ? 0 : 1;
    for (int i = 1; i < all.length; i++) {
      unique += all[i] == all[i - 1] ? 0 : 1;
    }
    return unique;
  }

  /** Returns what the cache of each worker truly answers to a chain of local hashes. */
  public int[] trueScores(long[] locals) {
    long[] externals = new long[locals.length];
    SequenceHasher.hash(locals, locals.length, externals);
    return caches.stream().mapToInt(cache -> cache.hit(externals)).toArray();
  }
}
