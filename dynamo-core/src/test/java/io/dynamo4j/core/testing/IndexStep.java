// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.testing;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.tree.ApplyResult;
import io.dynamo4j.core.tree.SyncIndexer;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One thing that happens to an index; prints as the factory call that makes it again. */
public sealed interface IndexStep {

  /** Does it and returns the outcome as text, null where there is none. */
  @Nullable String applyTo(SyncIndexer index);

  /** An event of a rank. */
  record Event(WorkerWithDpRank worker, KvCacheEventData data) implements IndexStep {
    @Override
    public String applyTo(SyncIndexer index) {
      ApplyResult result =
          index.apply(
              RouterEvent.of(
                  worker.workerId(),
                  StorageTier.DEVICE,
                  KvCacheEvent.of(0, worker.dpRank(), data)));
      return result.toString();
    }

    @Override
    public String toString() {
      String who = worker.workerId() + "L, " + worker.dpRank();
      if (data instanceof KvCacheEventData.Stored stored) {
        String parent = stored.hasParent() ? stored.parentHash() + "L" : "ROOT";
        return "store("
            + who
            + ", "
            + parent
            + ", local("
            + text(stored.tokensHashes())
            + "), external("
            + text(stored.blockHashes())
            + "))";
      }
      if (data instanceof KvCacheEventData.Removed removed) {
        return "remove(" + who + ", " + text(removed.blockHashes()) + ")";
      }
      return "clear(" + who + ")";
    }

    private static String text(long[] hashes) {
      return Arrays.stream(hashes).mapToObj(hash -> hash + "L").collect(Collectors.joining(", "));
    }
  }

  /** A worker is gone with all ranks. */
  record WorkerGone(long workerId) implements IndexStep {
    @Override
    public @Nullable String applyTo(SyncIndexer index) {
      index.removeWorker(workerId);
      return null;
    }

    @Override
    public String toString() {
      return "workerGone(" + workerId + "L)";
    }
  }

  /** One rank is gone. */
  record RankGone(WorkerWithDpRank worker) implements IndexStep {
    @Override
    public @Nullable String applyTo(SyncIndexer index) {
      index.removeWorkerDpRank(worker);
      return null;
    }

    @Override
    public String toString() {
      return "rankGone(" + worker.workerId() + "L, " + worker.dpRank() + ")";
    }
  }
}
