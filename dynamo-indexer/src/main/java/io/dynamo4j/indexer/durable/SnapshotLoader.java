// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.DurableLogException.Reason;
import io.dynamo4j.plane.LogFacts;
import io.dynamo4j.plane.SnapshotCopy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Finds the newest snapshot that is fit to start from and loads it; those that are damaged, newer
 * than this library or of somebody else are refused and named.
 */
final class SnapshotLoader {
  private static final int MAX_ATTEMPTS = 5;

  private final FeedCore core;
  private final EventApplier applier;

  SnapshotLoader(FeedCore core, EventApplier applier) {
    this.core = core;
    this.applier = applier;
  }

  /** What a start found: the log, and the last entry that the index has, 0 without a snapshot. */
  record Start(LogFacts facts, long covered) {}

  /**
   * Loads into an empty index.
   *
   * @param register makes the router a reader of the log from an entry on; completes once it is
   */
  CompletionStage<Start> load(LongFunction<CompletionStage<Void>> register) {
    CompletableFuture<Start> loaded = new CompletableFuture<>();
    list(1, register, loaded);
    return loaded.minimalCompletionStage();
  }

  private void list(
      int attempt, LongFunction<CompletionStage<Void>> register, CompletableFuture<Start> loaded) {
    core.then(
        core.snapshots.list(),
        (names, failure) -> {
          if (names == null) {
            loaded.completeExceptionally(failure(failure));
          } else {
            // Asked for after the names, the log has all that a snapshot of it covers; asked for
            // by one that it knows, it keeps what it has from then on.
            core.then(
                register.apply(newest(names) + 1).thenCompose(known -> core.log.facts()),
                (facts, refusal) -> {
                  if (facts == null) {
                    loaded.completeExceptionally(failure(refusal));
                  } else {
                    tryNext(
                        new Search(candidates(names, facts), facts, attempt, register, loaded), 0);
                  }
                });
          }
        });
  }

  /** Returns the last entry that any of the snapshots covers, 0 without one. */
  private static long newest(List<String> names) {
    long newest = 0;
    for (String name : names) {
      newest = Math.max(newest, DurableSnapshotFormat.coveredBy(name));
    }
    return newest;
  }

  /** One search through the snapshots that were there at a moment, newest first. */
  private record Search(
      List<String> names,
      LogFacts facts,
      int attempt,
      LongFunction<CompletionStage<Void>> register,
      CompletableFuture<Start> loaded) {

    void ends(long covered) {
      loaded.complete(new Start(facts, covered));
    }
  }

  private List<String> candidates(List<String> names, LogFacts facts) {
    List<String> ours = new ArrayList<>();
    for (String name : names) {
      long covered = DurableSnapshotFormat.coveredBy(name);
      if (covered < 0) {
        core.refused(name, null);
      } else if (covered > facts.lastSequence()) {
        core.refused(name, new IOException("it covers entries that the log never had"));
        // Later, by its number, it would pass for one of this log.
        var unused = core.snapshots.delete(name);
      } else {
        ours.add(name);
      }
    }
    ours.sort(Comparator.reverseOrder());
    return ours;
  }

  private void tryNext(Search search, int at) {
    if (at == search.names().size()) {
      search.ends(0);
      return;
    }
    String name = search.names().get(at);
    core.then(
        core.snapshots.get(name),
        (copy, failure) -> {
          if (copy != null) {
            load(name, copy, search, at);
          } else if (failure != null && FeedCore.isTransient(failure)) {
            search.loaded().completeExceptionally(failure);
          } else if (isGone(failure) && search.attempt() < MAX_ATTEMPTS) {
            // Snapshots go when newer ones are there, or by a reset.
            list(search.attempt() + 1, search.register(), search.loaded());
          } else {
            core.refused(name, failure);
            tryNext(search, at + 1);
          }
        });
  }

  private static boolean isGone(@Nullable Throwable failure) {
    return failure instanceof DurableLogException typed && typed.reason() == Reason.NOT_FOUND;
  }

  private void load(String name, SnapshotCopy copy, Search search, int at) {
    CompletionStage<Long> loading;
    try {
      loading = DurableSnapshotFormat.load(copy, core.scope, applier.cursors(), applier.index());
    } catch (IOException e) {
      copy.close();
      applier.cursors().clear();
      core.refused(name, e);
      tryNext(search, at + 1);
      return;
    }
    core.then(
        loading,
        (covered, failure) -> {
          copy.close();
          if (covered == null) {
            search.loaded().completeExceptionally(failure(failure));
          } else {
            applier.restored();
            search.ends(covered);
          }
        });
  }

  private static Throwable failure(@Nullable Throwable failure) {
    return failure == null
        ? new DurableLogException(Reason.FAILED, "store of snapshots brought nothing")
        : failure;
  }
}
