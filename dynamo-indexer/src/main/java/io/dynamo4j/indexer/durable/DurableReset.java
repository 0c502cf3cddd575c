// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.DurableEventLog;
import io.dynamo4j.plane.LogConsumerFacts;
import io.dynamo4j.plane.SnapshotStore;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Has a log and its snapshots forget everything, and routers that read it too. The log is purged,
 * never deleted, so that nobody loses its place, and only snapshots of this library's names go.
 */
public final class DurableReset {

  /**
   * What became of a reset.
   *
   * @param isDone whether it was done
   * @param liveRouters readers that are there now; who did not force it was refused because of them
   * @param deletedSnapshots how many snapshots were deleted
   */
  public record Outcome(boolean isDone, List<String> liveRouters, int deletedSnapshots) {
    public Outcome {
      liveRouters = List.copyOf(liveRouters);
    }
  }

  private DurableReset() {}

  /**
   * Resets unless routers read the log.
   *
   * @param force to reset even then: they notice it in the log, forget what they hold, and go on
   * @return completes on a thread of the log's choice; fails as the log or the store does
   */
  public static CompletionStage<Outcome> reset(
      DurableEventLog log, SnapshotStore snapshots, Environment environment, boolean force) {
    return log.consumers()
        .thenCompose(
            consumers -> {
              List<String> live =
                  consumers.stream()
                      .filter(LogConsumerFacts::isAttended)
                      .map(LogConsumerFacts::name)
                      .toList();
              return live.isEmpty() || force
                  ? resetNow(log, snapshots, environment, live)
                  : CompletableFuture.completedFuture(new Outcome(false, live, 0));
            });
  }

  private static CompletionStage<Outcome> resetNow(
      DurableEventLog log, SnapshotStore snapshots, Environment environment, List<String> live) {
    long id = environment.random().split("durable-reset").nextLong();
    byte[] mark =
        LogRecord.encode(new LogRecord.Reset(id), id, 1, environment.wallClock().millis());
    String messageId =
        Long.toHexString(id) + "-reset-" + Long.toHexString(environment.wallClock().millis());
    // Routers that see the mark delete, too.
    TreeSet<String> ours = new TreeSet<>();
    return snapshots
        .list()
        .thenAccept(names -> addOurs(names, ours))
        .thenCompose(listed -> log.facts())
        // The log first empties, since one that is full would take no mark.
        .thenCompose(facts -> log.purgeThrough(facts.lastSequence()))
        .thenCompose(purged -> log.append(messageId, mark))
        .thenCompose(
            sequence -> log.purgeThrough(sequence - 1).thenCompose(purged -> snapshots.list()))
        .thenAccept(names -> addOurs(names, ours))
        .thenCompose(listed -> delete(snapshots, ours))
        .thenApply(deleted -> new Outcome(true, live, deleted));
  }

  private static void addOurs(List<String> names, Set<String> ours) {
    for (String name : names) {
      if (DurableSnapshotFormat.coveredBy(name) >= 0) {
        ours.add(name);
      }
    }
  }

  private static CompletionStage<Integer> delete(SnapshotStore snapshots, Set<String> ours) {
    CompletionStage<Void> done = CompletableFuture.completedFuture(null);
    for (String name : ours) {
      done = done.thenCompose(before -> snapshots.delete(name));
    }
    return done.thenApply(all -> ours.size());
  }
}
