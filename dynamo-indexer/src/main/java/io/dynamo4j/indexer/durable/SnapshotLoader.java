// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.DurableLogException.Reason;
import io.dynamo4j.plane.LogFacts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
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
  private String begun = "";
  private volatile @Nullable DurableSnapshotLoad loading;

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
            begin(newest(names));
            // Asked for after the names, the log has all that a snapshot of it covers; asked for
            // by one that it knows, it keeps what it has from then on.
            core.then(
                register.apply(coveredBy(newest(names)) + 1).thenCompose(known -> core.log.facts()),
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

  /** Has the bytes of the likeliest come while the log is asked. */
  private void begin(@Nullable String name) {
    stop();
    if (name != null) {
      begun = name;
      loading = new DurableSnapshotLoad(core, applier, core.snapshots.read(name));
    }
  }

  /** Ends what is under way; the index is as before. Any thread. */
  void stop() {
    DurableSnapshotLoad former = loading;
    loading = null;
    if (former != null) {
      former.stop();
    }
  }

  /** Returns the name that covers most, null if none is of ours. */
  private static @Nullable String newest(List<String> names) {
    return names.stream()
        .filter(name -> DurableSnapshotFormat.coveredBy(name) >= 0)
        .max(Comparator.naturalOrder())
        .orElse(null);
  }

  private static long coveredBy(@Nullable String name) {
    return name == null ? 0 : DurableSnapshotFormat.coveredBy(name);
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
      stop();
      search.ends(0);
      return;
    }
    String name = search.names().get(at);
    if (loading == null || !name.equals(begun)) {
      begin(name);
    }
    core.then(
        Objects.requireNonNull(loading, "loading").load(),
        (covered, failure) -> {
          loading = null;
          if (covered != null) {
            search.ends(covered);
          } else if (isGone(failure) && search.attempt() < MAX_ATTEMPTS) {
            // Snapshots go when newer ones are there, or by a reset.
            list(search.attempt() + 1, search.register(), search.loaded());
          } else if (isUnfit(failure)) {
            core.refused(name, failure);
            tryNext(search, at + 1);
          } else {
            search.loaded().completeExceptionally(failure(failure));
          }
        });
  }

  /** Returns whether another snapshot may do better. */
  private static boolean isUnfit(@Nullable Throwable failure) {
    return failure instanceof IOException
        || (failure instanceof DurableLogException typed && !typed.isTransient());
  }

  private static boolean isGone(@Nullable Throwable failure) {
    return failure instanceof DurableLogException typed && typed.reason() == Reason.NOT_FOUND;
  }

  private static Throwable failure(@Nullable Throwable failure) {
    return failure == null
        ? new DurableLogException(Reason.FAILED, "store of snapshots brought nothing")
        : failure;
  }
}
