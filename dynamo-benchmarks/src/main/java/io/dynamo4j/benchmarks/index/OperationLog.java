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
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private final LogShape shape;
  private final List<long[]> queries = new ArrayList<>();
  private final List<RouterEvent> events = new ArrayList<>();
  private final List<WorkerCache> caches = new ArrayList<>();
  private int eventRequests;
  private long storedBlocks;
  private long removedBlocks;
  private long checksum;

  private OperationLog(LogShape shape) {
    this.shape = shape;
    for (int i = 0; i < shape.workers(); i++) {
      caches.add(new WorkerCache(shape.capacity()));
    }
  }

  /** Returns the log of rows of hash ids. */
  public static OperationLog of(List<long[]> rows, LogShape shape) {
    OperationLog log = new OperationLog(shape);
    int requests = rows.size() * shape.copies();
    log.eventRequests = shape.holdOut() == 0 ? requests : requests - requests / shape.holdOut();
    int request = 0;
    for (int row = 0; row < rows.size(); row++) {
      for (int copy = 0; copy < shape.copies(); copy++) {
        log.add(request++, (row + copy) % shape.workers(), log.locals(rows.get(row), copy));
      }
    }
    return log;
  }

  private long[] locals(long[] ids, int copy) {
    long[] locals = new long[Math.min(ids.length * shape.factor(), shape.capacity())];
    for (int i = 0; i < locals.length; i++) {
      long id = ids[i / shape.factor()];
      locals[i] = mix64(((long) copy << 48) | (id << 8) | (i % shape.factor()));
    }
    return locals;
  }

  private void add(int request, int worker, long[] locals) {
    queries.add(locals);
    feed(1);
    feed(locals.length);
    for (long local : locals) {
      feed(local);
    }
    if (request < eventRequests && locals.length > 0) {
      long[] external = new long[locals.length];
      SequenceHasher.hash(locals, locals.length, external);
      WorkerCache cache = caches.get(worker);
      int hit = cache.hit(external);
      addRemoved(worker, cache.take(external, hit, shape.evict()));
      addStored(worker, hit, external, locals);
    }
  }

  private void addRemoved(int worker, long[] evicted) {
    if (evicted.length == 0) {
      return;
    }
    feed(2);
    feed(worker);
    feed(evicted.length);
    for (long hash : evicted) {
      feed(hash);
    }
    removedBlocks += evicted.length;
    events.add(event(worker, KvCacheEventData.Removed.of(evicted)));
  }

  private void addStored(int worker, int hit, long[] external, long[] locals) {
    if (hit == external.length) {
      return;
    }
    feed(3);
    feed(worker);
    feed(hit == 0 ? 0 : external[hit - 1]);
    feed(external.length - hit);
    for (int i = hit; i < external.length; i++) {
      feed(locals[i]);
      feed(external[i]);
    }
    storedBlocks += external.length - hit;
    long[] blocks = Arrays.copyOfRange(external, hit, external.length);
    long[] contents = Arrays.copyOfRange(locals, hit, locals.length);
    events.add(
        event(
            worker,
            hit == 0
                ? KvCacheEventData.Stored.atRoot(blocks, contents)
                : KvCacheEventData.Stored.under(external[hit - 1], blocks, contents)));
  }

  private RouterEvent event(int worker, KvCacheEventData data) {
    return RouterEvent.of(worker, StorageTier.DEVICE, KvCacheEvent.of(events.size(), 0, data));
  }

  private void feed(long value) {
    checksum = (Long.rotateLeft(checksum, 5) ^ value) * GOLDEN;
  }

  /** The mixer that the log's rules name. */
  public static long mix64(long x) {
    long z = x + GOLDEN;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** Returns the checksum over every operation in order. */
  public long checksum() {
    return checksum;
  }

  /** Returns all cache events in order; unmodifiable. */
  public List<RouterEvent> events() {
    return Collections.unmodifiableList(events);
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
    int step = Math.max(1, (to - from + limit - 1) / limit);
    return Stream.iterate(from, i -> i < to, i -> i + step).map(queries::get).toList();
  }

  /** Returns blocks stored and removed by all events. */
  public long eventBlocks() {
    return storedBlocks + removedBlocks;
  }

  public long removedBlocks() {
    return removedBlocks;
  }

  /** Returns the (worker, block) pairs that the caches hold in the end. */
  public long memberships() {
    return caches.stream().mapToLong(WorkerCache::size).sum();
  }

  /** Returns what the cache of each worker truly answers to a chain of local hashes. */
  public int[] trueScores(long[] locals) {
    long[] external = new long[locals.length];
    SequenceHasher.hash(locals, locals.length, external);
    return caches.stream().mapToInt(cache -> cache.hit(external)).toArray();
  }
}
