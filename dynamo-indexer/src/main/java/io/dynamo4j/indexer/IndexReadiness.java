// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Scheduler;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Says when an index that its feed restores knows enough of its sources to route by, so that a
 * router which has just started does not pile its first minutes' load on the few workers it knows.
 *
 * <pre>{@code
 * try (IndexReadiness readiness =
 *     IndexReadiness.watch(feed, ReadinessPolicy.fraction(0.8, Duration.ofSeconds(10)), environment)) {
 *   readiness.whenReady().thenAccept(found -> takeTraffic());
 * }
 * }</pre>
 *
 * <p>Once ready it stays so: what happens to sources later is told by {@link KvEventFeed#progress}.
 *
 * <p><b>Threads.</b> Any. It looks every {@value #STEP_MILLIS} ms until it is ready, on a lane of
 * its own; a look costs O(sources).
 */
public final class IndexReadiness implements AutoCloseable {
  private static final long STEP_MILLIS = 10;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Supplier<RecoveryProgress> progress;
  private final Supplier<List<SourceStatus>> sources;
  private final ReadinessPolicy policy;
  private final Scheduler lane;
  private final long startNanos;
  private final CompletableFuture<Readiness> ready = new CompletableFuture<>();
  private final Cancellable environmentWatch;
  private volatile @Nullable Readiness settled;

  private IndexReadiness(KvEventFeed feed, ReadinessPolicy policy, Environment environment) {
    this.progress = feed::progress;
    this.sources = feed::sources;
    this.policy = Objects.requireNonNull(policy, "policy");
    this.lane = environment.lanes().lane("index-readiness");
    this.startNanos = lane.clock().nanoTime();
    this.environmentWatch = environment.lanes().onClose(this::close);
  }

  /**
   * Begins to look at a feed.
   *
   * @param feed with recovery; without it there are no sources to wait for, and only a policy that
   *     serves at once is ever met
   */
  public static IndexReadiness watch(
      KvEventFeed feed, ReadinessPolicy policy, Environment environment) {
    IndexReadiness readiness = new IndexReadiness(feed, policy, environment);
    readiness.look();
    return readiness;
  }

  /** Returns how things stand: what they were when the index became ready, or are now. */
  public Readiness now() {
    Readiness before = settled;
    return before == null ? seen() : before;
  }

  /**
   * Returns when the index is ready, or is taken as it is because the policy's bound is over.
   *
   * @return completes at once, or on this object's lane; fails with {@code CLOSED} if this or its
   *     environment is closed before
   */
  public CompletionStage<Readiness> whenReady() {
    return ready.minimalCompletionStage();
  }

  private void look() {
    if (ready.isDone()) {
      return;
    }
    Readiness found = seen();
    if (found.state() != Readiness.State.NOT_READY) {
      settled = found;
      ready.complete(found);
      return;
    }
    try {
      lane.schedule(this::look, STEP_MILLIS * NANOS_PER_MILLI);
    } catch (RejectedExecutionException environmentClosed) {
      close();
    }
  }

  private Readiness seen() {
    long waitedNanos = lane.clock().nanoTime() - startNanos;
    RecoveryProgress reached = progress.get();
    return new Readiness(policy.judge(reached, waitedNanos), reached, missing(), waitedNanos);
  }

  private List<WorkerWithDpRank> missing() {
    return sources.get().stream()
        .filter(source -> source.state().isStale())
        .map(SourceStatus::worker)
        .toList();
  }

  /** Looks no more; who waits still fails with {@code CLOSED}. Idempotent. */
  @Override
  public void close() {
    ready.completeExceptionally(
        new DynamoException(ErrorType.CLOSED, "readiness is looked at no more"));
    environmentWatch.cancel();
  }
}
