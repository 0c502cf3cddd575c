// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.KvCacheEventData.Cleared;
import io.dynamo4j.core.model.KvCacheEventData.Removed;
import io.dynamo4j.core.model.KvCacheEventData.Stored;
import io.dynamo4j.core.model.LookupScope;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.KvIndexerStatus;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Indexes that are wrong in one way each, and the right one. */
enum PlantedKvIndexer implements KvIndexerFactory {
  RIGHT,
  CLEAR_IGNORED {
    @Override
    boolean submit(Relay index, RouterEvent event) {
      return event.event().data() instanceof Cleared || index.pass(event);
    }
  },
  CLEAR_TAKES_THE_WORKER {
    @Override
    boolean submit(Relay index, RouterEvent event) {
      if (event.event().data() instanceof Cleared) {
        index.right.removeWorker(event.workerId());
      }
      return index.pass(event);
    }
  },
  REMOVAL_STOPS_AT_AN_UNKNOWN_HASH {
    @Override
    boolean submit(Relay index, RouterEvent event) {
      return event.event().data() instanceof Removed removed
          ? index.pass(event, Removed.of(new long[] {removed.blockHashes()[0]}))
          : index.pass(event);
    }
  },
  ORPHANS_AT_THE_ROOT {
    @Override
    boolean submit(Relay index, RouterEvent event) {
      index.pass(event);
      return !(event.event().data() instanceof Stored stored)
          || index.hasSeen(event, stored.parentHash())
          || index.pass(event, Stored.atRoot(stored.blockHashes(), stored.tokensHashes()));
    }
  },
  RANKS_AS_ONE {
    @Override
    boolean submit(Relay index, RouterEvent event) {
      WorkerWithDpRank first = new WorkerWithDpRank(event.workerId(), 0);
      return index.right.submit(IndexScript.event(first, 1, event.event().data()));
    }
  },
  HASHES_SHARED_BY_WORKERS {
    @Override
    boolean submit(Relay index, RouterEvent event) {
      if (event.event().data() instanceof Removed) {
        for (long worker : new long[] {1, 2}) {
          index.right.submit(
              IndexScript.event(WorkerWithDpRank.of(worker), 1, event.event().data()));
        }
        return true;
      }
      return index.pass(event);
    }
  },
  REMOVAL_TAKES_WHAT_HANGS_ON_IT {
    @Override
    boolean submit(Relay index, RouterEvent event) {
      return (event.event().data() instanceof Removed removed && removed.blockHashes()[0] == 2)
          ? index.pass(event, Removed.of(new long[] {2, 3, 4}))
          : index.pass(event);
    }
  },
  CONTENT_KNOWN_BY_ONE_HASH {
    @Override
    boolean submit(Relay index, RouterEvent event) {
      return (event.event().data() instanceof Removed removed && removed.blockHashes()[0] == 11)
          ? index.pass(event, Removed.of(new long[] {11, 12}))
          : index.pass(event);
    }
  },
  WORKER_REMOVAL_LEAVES_RANKS {
    @Override
    void removeWorker(Relay index, long workerId) {
      index.right.removeWorkerDpRank(new WorkerWithDpRank(workerId, 0));
    }
  },
  WORKER_NEVER_COMES_BACK {
    @Override
    boolean submit(Relay index, RouterEvent event) {
      return index.gone.contains(event.workerId()) || index.pass(event);
    }
  },
  RANK_REMOVAL_TAKES_THE_WORKER {
    @Override
    void removeRank(Relay index, WorkerWithDpRank rank) {
      index.right.removeWorker(rank.workerId());
    }
  },
  LAST_BLOCK_MISSED {
    @Override
    void find(Relay index, long[] hashes, int count, OverlapScores out) {
      index.right.findMatches(hashes, Math.max(0, count - 1), out);
    }
  },
  COUNT_IGNORED {
    @Override
    void find(Relay index, long[] hashes, int count, OverlapScores out) {
      index.right.findMatches(hashes, hashes.length, out);
    }
  },
  LARGE_IDS_LOST {
    @Override
    boolean submit(Relay index, RouterEvent event) {
      return event.workerId() < 0 || index.pass(event);
    }
  },
  SCOPE_IGNORED {
    @Override
    boolean ignoresScope() {
      return true;
    }
  },
  FLUSH_AT_ONCE {
    @Override
    CompletionStage<Void> flush(Relay index) {
      return CompletableFuture.completedFuture(null);
    }
  },
  OPEN_AFTER_CLOSE {
    @Override
    void close(Relay index) {}
  };

  boolean submit(Relay index, RouterEvent event) {
    return index.pass(event);
  }

  void removeWorker(Relay index, long workerId) {
    index.right.removeWorker(workerId);
  }

  void removeRank(Relay index, WorkerWithDpRank rank) {
    index.right.removeWorkerDpRank(rank);
  }

  void find(Relay index, long[] hashes, int count, OverlapScores out) {
    index.right.findMatches(hashes, count, out);
  }

  boolean ignoresScope() {
    return false;
  }

  CompletionStage<Void> flush(Relay index) {
    return index.right.flush();
  }

  void close(Relay index) {
    index.right.close();
  }

  @Override
  public KvIndexer create(int blockSize, Environment environment) {
    return new Relay(
        this, KvIndexer.builder().environment(environment).blockSize(blockSize).build());
  }

  /** The right index behind the planted mistake. */
  static final class Relay implements KvIndexer {
    private final PlantedKvIndexer planted;
    private final KvIndexer right;
    private final Set<String> seen = new TreeSet<>();
    private final Set<Long> gone = new TreeSet<>();

    Relay(PlantedKvIndexer planted, KvIndexer right) {
      this.planted = planted;
      this.right = right;
    }

    boolean hasSeen(RouterEvent event, long hash) {
      return seen.contains(key(event, hash));
    }

    private static String key(RouterEvent event, long hash) {
      return event.worker() + "/" + hash;
    }

    boolean pass(RouterEvent event) {
      return pass(event, event.event().data());
    }

    boolean pass(RouterEvent event, KvCacheEventData data) {
      if (data instanceof Stored stored && !stored.hasParent()) {
        Arrays.stream(stored.blockHashes()).forEach(hash -> seen.add(key(event, hash)));
      }
      return right.submit(IndexScript.event(event.worker(), event.event().eventId(), data));
    }

    @Override
    public int blockSize() {
      return right.blockSize();
    }

    @Override
    public void findMatches(long[] localHashes, int count, OverlapScores out) {
      planted.find(this, localHashes, count, out);
    }

    @Override
    public void findMatches(long[] localHashes, int count, LookupScope scope, OverlapScores out) {
      if (planted.ignoresScope()) {
        findMatches(localHashes, count, out);
      } else {
        KvIndexer.super.findMatches(localHashes, count, scope, out);
      }
    }

    @Override
    public boolean submit(RouterEvent event) {
      return planted.submit(this, event);
    }

    @Override
    public void removeWorker(long workerId) {
      gone.add(workerId);
      planted.removeWorker(this, workerId);
    }

    @Override
    public void removeWorkerDpRank(WorkerWithDpRank worker) {
      planted.removeRank(this, worker);
    }

    @Override
    public CompletionStage<Void> flush() {
      return planted.flush(this);
    }

    @Override
    public KvIndexerStatus status() {
      return right.status();
    }

    @Override
    public void close() {
      planted.close(this);
    }
  }
}
